import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { readEnvironment } from "../src/platform/index.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const form = pathToFileURL(join(import.meta.dirname, "support/fault-form.ts")).href;
const suite = (body: string) => `import { test } from "node:test";
import { did, Rounds, seed } from "${form}";
${body}`;
const SUITES = {
  "counts.test.ts": suite(`test("a", (t) => {
    const rounds = new Rounds({ short: 3, long: 50, share: 0.5 });
    for (const _ of rounds);
    did(t, { rounds: rounds.count }, { lost: 0 });
  });
  test("b", (t) => did(t, { rounds: 1, seed }, { lost: 0 }));`),
  "fails.test.ts": suite(`test("an acknowledged row is lost", () => { throw new Error("lost"); });`),
  "silent.test.ts": suite(`test("nothing is tried", () => {});`),
  "skips.test.ts": suite(`test("needs a browser", { skip: "no browser" }, () => {});`),
  "other.test.ts": `import { test } from "node:test"; test("is no fault suite", () => {});`,
};

interface Kept {
  readonly suites: readonly {
    suite: string;
    outcome: string;
    did: Record<string, number>;
    failed: string[];
  }[];
}

function runFaults(...args: string[]) {
  using folder = temporaryFolder("run-faults");
  mkdirSync(join(folder.path, "src"));
  for (const [name, text] of Object.entries(SUITES)) writeFileSync(join(folder.path, "src", name), text);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, join(import.meta.dirname, "run-faults.ts"), ...args, "--json", "kept.json"],
    { cwd: folder.path, env: readEnvironment(), encoding: "utf8" },
  );
  if (status === 2) return { status, stdout, stderr, suites: [] };
  const { suites } = JSON.parse(readFileSync(join(folder.path, "kept.json"), "utf8")) as Kept;
  return { status, stdout, stderr, suites };
}

test("What all tests of a suite did is added up, with the seed that was given", () => {
  const { status, suites, stdout } = runFaults("counts", "--seed", "7");
  assert.equal(status, 0, stdout);
  assert.deepEqual(suites[0]?.did, { rounds: 51, seed: 7 });
  assert.match(stdout, /^counts +51 rounds, 7 seed +0 lost +\d+ +7$/m);
});

test("In minutes a loop does what fits, and no less than in its short form", () => {
  const more = runFaults("counts", "--minutes", "0.01").suites[0]?.did["rounds"] ?? 0;
  assert.ok(more > 51, String(more));
  assert.equal(runFaults("counts", "--minutes", "0").status, 0);
});

test("A suite that fails and one that says nothing fail the run; one that cannot run does not", () => {
  const { status, suites, stdout } = runFaults();
  assert.equal(status, 1);
  assert.deepEqual(
    suites.map(({ suite: name, outcome, failed }) => [name, outcome, failed]),
    [
      ["counts", "passed", []],
      ["fails", "failed", ["an acknowledged row is lost"]],
      ["silent", "failed", ["it does not say what it did"]],
      ["skips", "skipped", []],
    ],
  );
  assert.match(stdout, /needs a browser: no browser/);
  assert.equal(runFaults("skips").status, 0);
});

test("A name of no suite and a time that is none are told", () => {
  assert.match(runFaults("vaults").stderr, /There are: counts, fails, silent, skips/);
  assert.match(runFaults("--minutes", "soon").stderr, /--minutes takes a number/);
});
