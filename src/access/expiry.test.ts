import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW } from "../../test/support/grant-cases.ts";
import { coded } from "../../test/support/test-vault.ts";
import { parseExpiry } from "./index.ts";

const MINUTE = 60_000;

test("parseExpiry takes times to come and dates, and nothing that could mean two things", () => {
  const right: [string, number][] = [
    ["1m", NOW + MINUTE],
    ["30m", NOW + 30 * MINUTE],
    ["12h", NOW + 720 * MINUTE],
    ["7d", NOW + 7 * 1440 * MINUTE],
    ["4w", NOW + 28 * 1440 * MINUTE],
    ["2030-12-31", Date.UTC(2030, 11, 31)],
    ["2032-02-29", Date.UTC(2032, 1, 29)],
    ["2030-12-31T12:30Z", Date.UTC(2030, 11, 31, 12, 30)],
    ["2030-12-31T12:30:05.5+02:00", Date.UTC(2030, 11, 31, 10, 30, 5, 500)],
  ];
  for (const [text, at] of right) assert.equal(parseExpiry(text, NOW), at, text);
  const wrong = [
    "7|d|7D|7 d|-7d|+7d|1.5h|7d |0x7d|1e3m|7s|7y|1d12h|٧d|0m|2030-2-3|2030-02-30|2031-02-29",
    "2030-13-01|2030-00-10|31.12.2030|12/31/2030|2030-12-31T12:30|2030-12-31T25:00Z",
    "2030-12-31 12:30Z|+002030-12-31|2020-01-01|2030-01-15|999999999w|tomorrow",
  ].flatMap((line) => ["", ...line.split("|")]);
  for (const text of wrong) assert.throws(() => parseExpiry(text, NOW), coded("BAD_INPUT"), text);
});
