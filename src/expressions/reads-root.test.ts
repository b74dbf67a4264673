import assert from "node:assert/strict";
import { test } from "node:test";
import { createExpressions, readsRoot } from "./index.ts";

const READS = [
  ".auth.key",
  ".",
  ". | tojson",
  ".auth",
  '."auth"',
  '.["auth"].key',
  '.["au" + "th"].key',
  ".[keys[0]]",
  "..",
  "tojson",
  "to_entries | map(.value) | tojson",
  ". as $all | $all.params",
  "[.[]] | tojson",
  '"\\(.auth.key)"',
  '"x" + .auth.key',
  "(.auth.key | explode | map(. + 1) | implode)",
  '.params.a as $x | .auth.key | gsub("a"; "b")',
  'def f: .auth.key; f | gsub("a"; "b")',
  'if .params.a then .auth.key else "" end | gsub("a"; "b")',
  'getpath(["au" + "th"]) | tojson',
  'reduce .auth.key as $k (""; . + $k)',
  '.params.a, .auth.key | gsub("a"; "b")',
  '.params.a // .auth.key | gsub("a"; "b")',
  "{auth}",
  "{auth} | tojson",
  '@base64 "\\(.auth.key)"',
  "with_entries(.value |= tojson) | .auth",
  "env.HOME? // . | tojson",
];
const READS_NOT = [
  ".params.auth.x",
  '"q-" + (.params.query | ascii_downcase)',
  '"Cats" | gsub("[^a-z]"; "-"; "i")',
  '.params.a | gsub("a"; "b") | . as $x | $x',
  '.params.a? // "none" | test("a")',
  '.connection.vars.auth | gsub("a"; "b")',
];

test("What a program may read is never less than what it reads", async () => {
  await using expressions = createExpressions();
  const scope = { where: { skill: "x" }, roots: "any" } as const;
  for (const [texts, wanted] of [
    [READS, true],
    [READS_NOT, false],
  ] as const) {
    for (const text of texts) {
      const compiled = await expressions.compileExpression(text, scope).catch((error: Error) => error);
      if (compiled instanceof Error) assert.match(compiled.message, /env|may not/, text);
      else assert.equal(readsRoot(compiled, "auth"), wanted, text);
    }
  }
});
