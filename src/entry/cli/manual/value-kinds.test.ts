import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { filesFor } from "../command-files.ts";
import { completionTables } from "./completion-tables.ts";
import { allOf, describeCommands } from "./describe-commands.ts";
import { kindOfOption, kindsOfArguments, PLACES } from "./value-kinds.ts";

const never = () => {
  throw new TypeError("no command runs here");
};
const program = new Command("deputy");
for (const { load } of filesFor([])) (await load())(program, { mcp: never, units: never });
const commands = allOf(describeCommands(program));

test("a closed set that is offered stands in the help of its place, value by value", () => {
  const seen = new Set<string>();
  for (const command of commands) {
    const place = command.path.join(" ");
    for (const option of command.options) {
      seen.add(`${place} ${option.names.at(-1)}`);
      const kind = kindOfOption(command, option);
      if (kind.kind !== "oneOf") continue;
      for (const value of kind.values) assert.ok(option.description.includes(value), `${place}: ${value}`);
    }
    for (const { name } of command.args) seen.add(`${place} ${name}`);
    const said = [command.summary, command.more, ...command.options.map((one) => one.description)].join(" ");
    for (const kind of kindsOfArguments(command).kinds) {
      if (kind.kind !== "oneOf") continue;
      for (const value of kind.values) assert.ok(said.includes(value), `${place}: ${value}`);
    }
  }
  assert.deepEqual(
    PLACES.filter((place) => !seen.has(place)),
    [],
    "places that no command has",
  );
});

test("every command, option and value that is taken has its place in the tables", () => {
  const { words, options, values } = completionTables(describeCommands(program));
  assert.ok(commands.length > 60);
  for (const { path, options: own } of commands) {
    const parent = path.slice(0, -1).join(" ");
    if (path.length > 0) assert.ok(words.get(parent)?.some(({ word }) => word === path.at(-1)));
    for (const option of own) {
      for (const name of option.names) {
        assert.ok(options.get(path.join(" "))?.some(({ word }) => word === name));
        assert.equal(values.has(`${path.join(" ")} ${name}`), option.value !== undefined);
      }
    }
  }
});

test("a hidden command is not offered", () => {
  assert.ok(commands.some(({ path }) => path.join(" ") === "completion bash"));
  assert.ok(!commands.some(({ path }) => path.join(" ") === "completion values"));
});
