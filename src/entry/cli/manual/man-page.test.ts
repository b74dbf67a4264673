import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Command } from "commander";
import { filesFor } from "../command-files.ts";
import { allOf, describeCommands } from "./describe-commands.ts";
import { manPage } from "./man-page.ts";

const never = () => {
  throw new TypeError("no command runs here");
};
const program = new Command("deputy").description("Lets agents act.").version("1.2.3");
for (const { load } of filesFor([])) (await load())(program, { mcp: never, units: never });
const root = describeCommands(program);
const page = manPage(root, "1.2.3");
/** As a reader sees it. */
const read = page
  .replace(/\\f[BIR]/g, "")
  .replaceAll("\\-", "-")
  .replaceAll("\\(aq", "'")
  .replaceAll("\\(ti", "~")
  .replaceAll("\\(dq", '"');

test("every command, argument, option and example is in the manual page", () => {
  for (const { path, args, options, examples } of allOf(root).slice(1)) {
    const from = read.indexOf(`.SS "deputy ${path.join(" ")}${args.length > 0 ? " " : '"'}`);
    assert.ok(from > 0, path.join(" "));
    const rest = read.slice(from + 1);
    const own = rest.slice(0, rest.search(/^\.S[SH] /m));
    for (const { name } of args) assert.ok(own.includes(name), `${path.join(" ")} ${name}`);
    for (const { names, description } of options) {
      const where = /--(json|passphrase-fd|help)$/.test(names.at(-1) ?? "") ? read : own;
      assert.ok(where.includes(names.join(", ")), `${path.join(" ")} ${names.join()}`);
      assert.ok(where.includes(description.replaceAll("…", "...")), description);
    }
    for (const example of examples) assert.ok(own.includes(example.replaceAll("…", "...")), example);
  }
});

test("the manual page has the sections people look for", () => {
  const sections = [...page.matchAll(/^\.SH (.*)$/gm)].map((match) => match[1]);
  assert.deepEqual(sections, [
    ..."NAME SYNOPSIS DESCRIPTION OPTIONS COMMANDS ENVIRONMENT FILES".split(" "),
    ..."EXIT STATUS,EXAMPLES,SEE ALSO".split(","),
  ]);
});

const FORMATTERS = [
  ["groff", ["-man", "-Tutf8", "-ww", "-z"]],
  ["mandoc", ["-T", "lint", "-W", "warning"]],
] as const;

for (const [formatter, args] of FORMATTERS) {
  test(`${formatter} has nothing to say against the manual page`, (t) => {
    const ran = spawnSync(formatter, args, { input: page, encoding: "utf8" });
    if (ran.error !== undefined) return t.skip(`${formatter} is not installed`);
    // A date would differ from build to build.
    const said = `${ran.stdout}${ran.stderr}`.split("\n").filter((line) => !/missing date|^$/.test(line));
    assert.deepEqual(said, []);
  });
}

test("text that roff would take for its own is shown as it is", (t) => {
  const odd = describeCommands(
    new Command("deputy")
      .description("Odd.")
      .addCommand(new Command("x").description(".TH \\fB'it' — ~^\n'so")),
  );
  const ran = spawnSync("groff", ["-man", "-Tutf8", "-ww"], { input: manPage(odd, "1"), encoding: "utf8" });
  if (ran.error !== undefined) return t.skip("groff is not installed");
  assert.equal(ran.stderr, "");
  assert.match(ran.stdout, /\.TH \\fB'it' — ~\^\s+'so/);
});
