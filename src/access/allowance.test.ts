import assert from "node:assert/strict";
import { test } from "node:test";
import { coded } from "../../test/support/test-vault.ts";
import { parseAllowance } from "./index.ts";

test("parseAllowance takes programs by name, whole paths and the two words", () => {
  const right: [string, string][] = [
    ["network", "network"],
    ["hosts:any", "hosts:any"],
    ["binary:git", "binary:git"],
    ["binary:g++", "binary:g++"],
    ["binary:python3.12", "binary:python3.12"],
    ["path:/data/a, b.db", "path:/data/a, b.db"],
    ["path:/data/../etc", "path:/etc"],
  ];
  for (const [text, parsed] of right) assert.equal(parseAllowance(text), parsed, text);
  const wrong = [
    "net|Network|network |hosts:exa.ai|hosts:|binary:|binary:/bin/sh|binary:../sh|binary:a b",
    "binary:-rf|binary:.hidden|binary:git\n|path:|path:data|path:~/data|path:/a\nb|path:/a\0b|expose",
  ].flatMap((line) => ["", ...line.split("|")]);
  for (const text of wrong) assert.throws(() => parseAllowance(text), coded("BAD_INPUT"), text);
});
