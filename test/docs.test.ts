/** What the documents say is there, is there: files, links, commands, error codes, dependencies. */
import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { PolicyFile } from "../src/access/index.ts";
import { readConfig } from "../src/engine/config.ts";
import { errorCodes } from "../src/kernel/index.ts";
import { commandLines, parsingProgram, refusal, unknownWords } from "./support/command-words.ts";
import { codeBlocks } from "./support/console-blocks.ts";
import { brokenLinks, codeSpans, documents, isThere, namedPaths, root } from "./support/documents.ts";
import { MAY_IMPORT } from "./support/import-table.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const all = documents();
const compare = (a: string, b: string) => a.localeCompare(b);
const one = (path: string) => {
  const found = all.find((document) => document.path === path);
  assert.ok(found !== undefined, `there is no ${path}`);
  return found;
};

test("every file and folder a document names exists", () => {
  const named = all.flatMap((document) => namedPaths(document).map((at) => ({ document, ...at })));
  assert.ok(named.length > 100, String(named.length));
  const missing = named.filter(({ path }) => !isThere(path));
  assert.deepEqual(
    missing.map(({ document, line, path }) => `${document.path}:${line}: ${path}`),
    [],
  );
});

test("every link between documents leads to a file and a heading that are there", () => {
  assert.deepEqual(all.flatMap(brokenLinks), []);
});

test("every command in a code block is one the program takes", async () => {
  const program = await parsingProgram();
  const problems: string[] = [];
  let count = 0;
  for (const { path, blocks } of all) {
    for (const { line, text } of blocks) {
      for (const command of commandLines(text)) {
        count += 1;
        const why = await refusal(program, command);
        if (why !== undefined) problems.push(`${path}:${line}: ${command}: ${why}`);
      }
    }
  }
  assert.ok(count > 50, String(count));
  assert.deepEqual(problems, []);
  assert.match((await refusal(program, "deputy vault lst")) ?? "", /unknown command/);
  assert.match((await refusal(program, "deputy vault list --colour")) ?? "", /unknown option/);
  assert.match((await refusal(program, "deputy run")) ?? "", /missing required argument/);
});

test("every command in running text has words and options the program knows", async () => {
  const program = await parsingProgram();
  const problems: string[] = [];
  for (const document of all) {
    for (const { line, text } of codeSpans(document)) {
      if (!/^deputy [a-z]/.test(text)) continue;
      const why = unknownWords(program, text);
      if (why !== undefined) problems.push(`${document.path}:${line}: ${text}: ${why}`);
    }
  }
  assert.deepEqual(problems, []);
  assert.equal(unknownWords(program, "deputy vault list \\| sett"), "no command sett");
});

test("every error code has its place in troubleshooting, with what it means, and no other has", () => {
  const { text } = one("docs/troubleshooting.md");
  const entries = [...text.matchAll(/^\| `([A-Z_]+)` \| ([^|]+) \|/gm)];
  assert.deepEqual(
    entries.map(([, code = ""]) => code).toSorted(compare),
    Object.keys(errorCodes).toSorted(compare),
  );
  for (const [, code = "", means] of entries)
    assert.equal(means, errorCodes[code as keyof typeof errorCodes]);
});

test("every config.yaml and policy.yaml shown is one that Deputy takes, and all settings are shown", () => {
  using folder = temporaryFolder("docs");
  const settings = (file: string) => {
    const blocks = all.flatMap(({ blocks }) => blocks.filter(({ text }) => text.startsWith(`# ${file}`)));
    const [, section = ""] = one("docs/formats/home.md").text.split(`\n## ${file}\n`);
    return [...blocks, ...codeBlocks(section).slice(0, 1)].map(({ text }) => text);
  };
  const path = join(folder.path, "config.yaml");
  const configs = settings("config.yaml");
  assert.ok(configs.length >= 4);
  for (const text of configs) {
    writeFileSync(path, text);
    assert.equal(readConfig(path).problem, undefined, text);
  }
  const shown = parse(configs.at(-1) ?? "");
  const known = readConfig(join(folder.path, "none.yaml")).value;
  assert.deepEqual(
    Object.keys(known).filter((key) => !(key in shown)),
    [],
  );
  for (const part of ["sessions", "surfaces", "engine"] as const)
    assert.deepEqual(Object.keys(known[part]).toSorted(compare), Object.keys(shown[part]).toSorted(compare));
  assert.deepEqual(known.sessions, shown.sessions, "the defaults");
  const [policy = ""] = settings("policy.yaml");
  writeFileSync(path, policy);
  const file = new PolicyFile({ path, matches: () => false, parsePattern: (text) => text });
  assert.deepEqual(Object.keys(file.read()).toSorted(compare), ["allow", "block", "mode", "peers"]);
});

test("every part of Deputy that leaves rows in the log is in the log's format", () => {
  const calls = readFileSync(join(root, "src/engine/logged-calls.ts"), "utf8");
  const subjects = new Set([...calls.matchAll(/"(@[a-z]+)"/g)].map(([, name = ""]) => name));
  assert.ok(subjects.size > 10);
  for (const subject of subjects)
    assert.ok(one("docs/formats/log.md").text.includes(`\`${subject}\``), subject);
});

test("every MCP tool is in the list of tools", () => {
  const sources = globSync("src/entry/mcp/tools/*.ts", { cwd: root }).map((file) =>
    readFileSync(join(root, file), "utf8"),
  );
  const tools = sources.flatMap((text) =>
    [...text.matchAll(/^ {2}name: "(\w+)",$/gm)].map(([, name = ""]) => name),
  );
  assert.ok(tools.length > 15, String(tools.length));
  const [, table = ""] = /^## Tools$(.*?)^Answers are text/ms.exec(one("docs/mcp.md").text) ?? [];
  for (const tool of tools) assert.match(table, new RegExp(`\`${tool}[\`(]`), tool);
});

test("the figures of the fault suites are those in the suites", () => {
  const rows = one("docs/threat-model.md").text.matchAll(
    /^\| `([\w/.-]+)` \| [^|]+ \| ([\d,]+) \| ([\d,]+) \|$/gm,
  );
  const figures = [...rows].map(([, file = "", ...counts]) => ({
    file,
    form: counts.map((count) => count.replaceAll(",", "")),
  }));
  assert.ok(figures.length > 15);
  for (const { file, form } of figures) {
    const source = readFileSync(join(root, file), "utf8").replaceAll(/(?<=\d)_(?=\d)/g, "");
    const [short, long] = form;
    assert.match(
      source,
      new RegExp(`Rounds\\(\\{ short: ${short}, long: ${long}\\b`),
      `${file} ${short} ${long}`,
    );
  }
});

test("every dependency has its line in the architecture, and none that is gone", () => {
  const { text } = one("docs/architecture.md");
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [, table = ""] = /^## Dependencies$(.*?)^Development only/ms.exec(text) ?? [];
  const listed = [...table.matchAll(/^\| `([^`*]+)` \|/gm)].map(([, name = ""]) => name);
  assert.deepEqual(listed.toSorted(compare), Object.keys(dependencies).toSorted(compare));
});

test("the folders of the architecture and what each may import are those the tests enforce", () => {
  const rows = [...one("docs/architecture.md").text.matchAll(/^\| `src\/([\w/-]+)` \| .* \| ([^|]+) \|$/gm)];
  const shown = rows.filter(([, , imports = ""]) => !imports.startsWith("as "));
  const enforced = { ...MAY_IMPORT, kernel: ["nothing"], engine: ["everything", "above"] };
  assert.deepEqual(
    Object.fromEntries(
      shown.map(([, folder, imports = ""]) => [folder, imports.split(" ").toSorted(compare)]),
    ),
    Object.fromEntries(Object.entries(enforced).map(([folder, to]) => [folder, to.toSorted(compare)])),
  );
});

test("every document is in the list of documents, and every format in the list of formats", () => {
  for (const { path } of all.filter(({ path }) => path.startsWith("docs/"))) {
    const index = path.startsWith("docs/formats/") ? "docs/formats/README.md" : "docs/README.md";
    if (path === index) continue;
    const name = path.slice(dirname(index).length + 1);
    assert.ok(one(index).text.includes(`](${name})`), `${path} is not in ${index}`);
  }
});
