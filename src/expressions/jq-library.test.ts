import assert from "node:assert/strict";
import { test } from "node:test";
import { expressionCases } from "../../test/support/expression-cases.ts";
import { createJqInstance } from "./jq-instance.ts";
import { JqLibrary } from "./jq-library.ts";

const jq = await createJqInstance({ memoryBytes: 256 * 1024 * 1024 });

/** The word makes jq read all it has. */
const whole = (expression: string) => `${expression}\n# builtins`;

function same(expression: string, input: unknown): void {
  const given = JSON.stringify(input);
  const part = jq.raw(given, expression);
  jq.wipe();
  assert.deepEqual(part, jq.raw(given, whole(expression)), expression);
  jq.wipe();
}

test("A program finds in its part of the library what it finds in the whole", () => {
  for (const { expression, input } of expressionCases) same(expression, input);
});

test("What the grammar calls by itself is there: assignments of every kind, descent, formats, destructuring", () => {
  const input = { a: [{ b: 1 }, { b: "x" }], c: null };
  for (const expression of [
    ".a[0].b = 2",
    ".a[].b |= tojson",
    ".a[0].b += 1",
    ".a[0].b -= 1",
    ".a[0].b *= 2",
    ".a[0].b /= 2",
    ".a[0].b %= 2",
    ".c //= 5",
    "[.. | scalars]",
    "[..?]",
    '@html "<\\(.a)>"',
    "@text, @json, @base64, @sh?",
    ". as {a: [$first, {b: $x}]} | $first, $x",
    ".[] as [$x] ?// $x | [$x]",
    "del(.a[0], .c)",
    "to_entries[] | .key",
    "limit(1; .a[])",
    "[.a[] | try error catch .]",
    "input_line_number",
    "[splits(1)]?",
    "ltrimstr(1), getpath([]), tostream",
  ])
    same(expression, input);
});

test("What does not compile is told in the words of the whole of jq", () => {
  for (const expression of ["nosuch", "map(1; 2)", ". |", "{", "def f: g; f", "gsub(1; 2; 3; 4)"]) {
    const { exitCode, stderr } = jq.raw("null", expression);
    jq.wipe();
    assert.equal(exitCode, 3);
    assert.match(stderr, /^jq: (error|\d)/);
  }
  assert.match(jq.raw("null", "nosuch").stderr, /nosuch\/0 is not defined/);
  jq.wipe();
});

test("A program gets the definitions it names, and those these name, where the library was", () => {
  const text = "def halt_error: halt_error(5);\ndef a: 1;\ndef b: a;\ndef b(f): b | f;\ndef c: 2;\n";
  const memory = new Uint8Array(Buffer.from(`before\0${text}\0after`));
  const library = JqLibrary.find(memory);
  const placed = (program: string) => {
    library?.placeFor(program, memory);
    const [before, all = "", after] = Buffer.from(memory).toString().split("\0");
    assert.deepEqual([before, all.length, after], ["before", text.length, "after"]);
    return all.trim();
  };
  assert.equal(placed("b"), "def a: 1;\ndef b: a;\ndef b(f): b | f;");
  assert.equal(placed(".c"), "def c: 2;");
  assert.equal(placed("1 + 1"), "");
  assert.equal(placed("[builtins]"), text.trim());
  assert.equal(JqLibrary.find(new Uint8Array(100)), undefined);
});
