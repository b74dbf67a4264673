import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { filesFor } from "./command-files.ts";

const never = () => {
  throw new TypeError("no command runs here");
};
const entries = { mcp: never, units: never };

test("every file is found by the words it defines, and by no others", async () => {
  for (const { words, load } of filesFor([])) {
    const program = new Command();
    (await load())(program, entries);
    const defined = program.commands.map((command) => command.name());
    assert.deepEqual([...words].sort(), defined.sort());
    for (const word of words) assert.equal(filesFor([word]).length, 1, word);
  }
});

test("every command's help shows an example", async () => {
  const program = new Command();
  for (const { load } of filesFor([])) (await load())(program, entries);
  const all = commandsIn(program);
  assert.ok(all.length > 40);
  for (const command of all) {
    let help = "";
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    assert.match(help, /Example:\n {2}.*deputy /, command.name());
  }
});

/** Without the words that only hold others. */
function commandsIn(parent: Command): readonly Command[] {
  return parent.commands.flatMap((one) => (one.commands.length === 0 ? [one] : commandsIn(one)));
}

test("a word that is none of ours, a wish for help and nothing at all load everything", () => {
  const all = filesFor([]).length;
  assert.ok(all > 1);
  for (const first of ["statu", "help", "--help"]) assert.equal(filesFor([first, "vault"]).length, all);
  assert.deepEqual(filesFor(["--version"]), []);
});
