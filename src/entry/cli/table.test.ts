import assert from "node:assert/strict";
import { test } from "node:test";
import { plain, table } from "./table.ts";

test("What a name hides or turns round does not reach the terminal", () => {
  assert.equal(plain("a\u202egpj.exe"), "a·gpj.exe");
  assert.equal(plain("ad\u200bmin\u2066x\u2069"), "ad·min·x·");
  assert.equal(plain("\x1b[31mred\x1b[0m\u0007"), "red·");
  assert.equal(plain("Grüße 🔑 日本"), "Grüße 🔑 日本");
});

test("Columns line up where characters are two columns wide, or none", () => {
  const lines = table(
    ["WHO", "X"],
    [
      ["日本", "1"],
      ["Zoe\u0308", "2"],
      ["🔑", "3"],
      ["plain", "4"],
    ],
  ).split("\n");
  assert.deepEqual(lines, ["WHO    X", "日本   1", "Zoe\u0308    2", "🔑     3", "plain  4"]);
});
