import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { coerce, findFieldType } from "../index.ts";

const NOW = Date.UTC(2026, 10, 15, 12, 0, 0);

function as(type: string, value: unknown): unknown {
  const coerced = coerce(value, findFieldType(type)!, NOW);
  return coerced.wrong === undefined ? coerced.value : { wrong: coerced.wrong };
}

const cases: [type: string, given: unknown, wanted: unknown][] = [
  ["string", "a", "a"],
  ["string", 12, "12"],
  ["string", true, "true"],
  ["string", {}, { wrong: "an object" }],
  ["text", ["a"], { wrong: "a list" }],
  ["url", "https://x.test/", "https://x.test/"],
  ["url", 3, { wrong: "a number" }],
  ["integer", 3.9, 3],
  ["integer", -3.9, -3],
  ["integer", "42", 42],
  ["integer", " 1,234,567 ", 1_234_567],
  ["integer", "3.7", 3],
  ["integer", "1,23", { wrong: "text" }],
  ["integer", "", { wrong: "text" }],
  ["integer", "0x10", { wrong: "text" }],
  ["integer", "1789012345678901234", { wrong: "text" }],
  ["integer", true, { wrong: "true or false" }],
  ["number", "1e3", 1000],
  ["number", "-0.5", -0.5],
  ["number", "Infinity", { wrong: "text" }],
  ["number", "12 USD", { wrong: "text" }],
  ["boolean", 1, true],
  ["boolean", 0, false],
  ["boolean", "Yes", true],
  ["boolean", "no", false],
  ["boolean", "TRUE", true],
  ["boolean", "false", false],
  ["boolean", "maybe", { wrong: "text" }],
  ["boolean", 2, { wrong: "a number" }],
  ["json", { a: [1] }, { a: [1] }],
  ["string[]", ["a", 1, null], ["a", "1"]],
  ["string[]", "a", ["a"]],
  ["string[]", ["a", {}], { wrong: "a list with an object in it" }],
  ["integer[]", ["1", 2.5], [1, 2]],
  ["json[]", { a: 1 }, [{ a: 1 }]],

  ["datetime", "2024-03-05T10:20:30Z", "2024-03-05T10:20:30Z"],
  ["datetime", "2024-03-05T10:20:30.123456+02:00", "2024-03-05T10:20:30.123456+02:00"],
  ["datetime", "2024-03-05T10:20:30.000Z", "2024-03-05T10:20:30Z"],
  ["datetime", "2024-03-05 10:20", "2024-03-05T10:20:00"],
  ["datetime", "2024-03-05T10:20:30-0800", "2024-03-05T10:20:30-08:00"],
  ["datetime", "20240305T102030Z", "2024-03-05T10:20:30Z"],
  ["datetime", "20240305", "2024-03-05"],
  ["datetime", "2024/3/5", "2024-03-05"],
  ["datetime", "2024-03-05", "2024-03-05"],
  ["datetime", "2024-03", "2024-03"],
  ["datetime", "1999", "1999"],
  ["datetime", 1999, "1999"],
  ["datetime", "2024-02-29", "2024-02-29"],
  ["datetime", "2023-02-29", { wrong: "text" }],
  ["datetime", "2024-13-01", { wrong: "text" }],
  ["datetime", "2024-01-01T25:00", { wrong: "text" }],
  ["datetime", 1_700_000_000, "2023-11-14T22:13:20Z"],
  ["datetime", 1_700_000_000_123, "2023-11-14T22:13:20.123Z"],
  ["datetime", 1_700_000_000_123_456, "2023-11-14T22:13:20.123Z"],
  ["datetime", "1700000000", "2023-11-14T22:13:20Z"],
  ["datetime", "1700000000.5", "2023-11-14T22:13:20.500Z"],
  ["datetime", 0, "1970-01-01T00:00:00Z"],
  ["datetime", -86_400, "1969-12-31T00:00:00Z"],
  ["datetime", "March 5, 2024", "2024-03-05"],
  ["datetime", "Mar 5th 2024", "2024-03-05"],
  ["datetime", "5 March 2024", "2024-03-05"],
  ["datetime", "05-Mar-2024", "2024-03-05"],
  ["datetime", "Sept. 9, 2024", "2024-09-09"],
  ["datetime", "March 2024", "2024-03"],
  ["datetime", "Oct 30, 2019 07:12AM", "2019-10-30T07:12:00"],
  ["datetime", "Oct 30, 2019 at 12:05 am", "2019-10-30T00:05:00"],
  ["datetime", "Oct 30, 2019, 12:05 p.m.", "2019-10-30T12:05:00"],
  ["datetime", "Tue, 05 Mar 2024 10:20:30 GMT", "2024-03-05T10:20:30Z"],
  ["datetime", "Tue, 5 Mar 2024 10:20:30 -0500 (EST)", "2024-03-05T10:20:30-05:00"],
  ["datetime", "Tue Mar 05 2024 10:20:30 GMT+0100 (Central European Time)", "2024-03-05T10:20:30+01:00"],
  ["datetime", "Tue Mar  5 10:20:30 2024", "2024-03-05T10:20:30"],
  ["datetime", "13/04/2024", "2024-04-13"],
  ["datetime", "04/13/2024", "2024-04-13"],
  ["datetime", "4.4.2024", "2024-04-04"],
  ["datetime", "03/04/2024", { wrong: "text" }],
  ["datetime", "February 30, 2024", { wrong: "text" }],
  ["datetime", "now", "2026-11-15T12:00:00Z"],
  ["datetime", "Yesterday", "2026-11-14"],
  ["datetime", "3 hours ago", "2026-11-15T09:00:00Z"],
  ["datetime", "an hour ago", "2026-11-15T11:00:00Z"],
  ["datetime", "2 days ago", "2026-11-13"],
  ["datetime", "11 months ago", "2025-12"],
  ["datetime", "2 years ago", "2024"],
  ["datetime", "soon", { wrong: "text" }],
  ["datetime", "", { wrong: "text" }],
  ["datetime", {}, { wrong: "an object" }],
  ["datetime", 1e300, { wrong: "a number" }],
];

for (const [type, given, wanted] of cases)
  test(`coerce ${JSON.stringify(given)} to ${type}`, () => assert.deepEqual(as(type, given), wanted));

test("coerce gives the same whatever zone the machine is in", () => {
  const before = process.env["TZ"];
  try {
    for (const zone of ["America/New_York", "Asia/Tokyo", "UTC"]) {
      process.env["TZ"] = zone;
      assert.equal(as("datetime", "March 5, 2024 23:30"), "2024-03-05T23:30:00");
      assert.equal(as("datetime", 1_700_000_000), "2023-11-14T22:13:20Z");
    }
  } finally {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  }
});

test("coerce never throws, and what it gives it gives again", () => {
  const types = [
    "string",
    "integer",
    "number",
    "boolean",
    "datetime",
    "url",
    "json",
    "string[]",
    "datetime[]",
  ];
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.jsonValue(), (type, value) => {
      const coerced = coerce(value, findFieldType(type)!, NOW);
      if (coerced.wrong === undefined) assert.deepEqual(as(type, coerced.value), coerced.value);
    }),
    { numRuns: 2000 },
  );
});

test("coerce reads every moment JavaScript can write down", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date(8e12), noInvalidDate: true }), (date) => {
      assert.equal(Date.parse(String(as("datetime", date.toISOString()))), date.getTime());
      assert.equal(
        Date.parse(String(as("datetime", date.toUTCString()))),
        Math.floor(date.getTime() / 1000) * 1000,
      );
    }),
  );
});
