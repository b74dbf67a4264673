/**
 * Runs the benchmarks named, or all, one after another: side by side they would measure each other. Ends with one table,
 * and writes it as JSON. One that fails is a row with its reason, and the rest go on.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { calibrate, unsteady } from "./support/calibrate.ts";
import type { Absent, Figure } from "./support/figure.ts";
import { describeMachine } from "./support/machine.ts";
import { type Outcome, textTable } from "./support/outcome.ts";
import { benchmarksPage } from "./support/page.ts";
import { FIGURES } from "./support/report.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** Of the ten minutes all of them may take. */
const LIMIT_MS = 570_000;
const EACH_MS = 100_000;
/** To give back what it has, once it is told to end. */
const GRACE_MS = 30_000;

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" }, docs: { type: "boolean" }, strict: { type: "boolean" } },
});
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== "run.ts")
  .map((file) => basename(file, ".ts"))
  .sort();
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) refuse(`There is no benchmark ${unknown.join(", ")}; there are ${names.join(", ")}`);
if (options.docs === true && wanted.length > 0) refuse("--docs is for a run of all benchmarks");

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupted.abort());

const until = Date.now() + LIMIT_MS;
const machine = await describeMachine();
const before = await calibrate();
const figures: (Figure | Absent)[] = [];
const benches: Outcome["benches"][number][] = [];
let failed = false;
for (const name of wanted.length > 0 ? names.filter((one) => wanted.includes(one)) : names) {
  if (interrupted.signal.aborted) break;
  console.log(`\n${name}`);
  const begun = Date.now();
  const ran = await run(name, Math.min(EACH_MS, until - begun));
  figures.push(...ran.figures);
  if (ran.reason !== undefined) {
    failed = true;
    figures.push({
      bench: name,
      what: ran.figures.length === 0 ? "all of it" : "the rest",
      reason: ran.reason,
    });
  }
  benches.push({ name, seconds: Math.round((Date.now() - begun) / 100) / 10 });
}

if (interrupted.signal.aborted) process.exitCode = 130;
else {
  const busy = unsteady(before, await calibrate());
  if (machine.load > machine.cores / 2) busy.unshift(`a load of ${machine.load.toFixed(1)} before the run`);
  finish({ date: new Date().toISOString().slice(0, 10), machine, busy, benches, figures });
}

function finish(outcome: Outcome): void {
  console.log(`\n${textTable(outcome)}`);
  const json = resolve(options.json ?? join(ROOT, "node_modules/.cache/deputy-bench.json"));
  mkdirSync(dirname(json), { recursive: true });
  writeFileSync(json, `${JSON.stringify(outcome, null, 2)}\n`);
  console.log(`written to ${json}`);
  if (options.docs === true) writeFileSync(join(ROOT, "docs/benchmarks.md"), benchmarksPage(outcome));
  const missed = outcome.figures.some((one) => "met" in one && !one.met);
  process.exitCode = failed || (options.strict === true && missed) ? 1 : 0;
}

/** Its figures, and why there are no more where it did not end well. */
async function run(name: string, ms: number): Promise<{ figures: (Figure | Absent)[]; reason?: string }> {
  if (ms <= 0) return { figures: [], reason: "the time for all benchmarks was over" };
  using folder = temporaryFolder("bench");
  const file = join(folder.path, "figures");
  writeFileSync(file, "");
  const ended = AbortSignal.any([interrupted.signal, AbortSignal.timeout(ms)]);
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, `${name}.ts`)],
    {
      env: { ...process.env, TMPDIR: folder.path, [FIGURES]: file },
      stdio: ["ignore", "inherit", "pipe"],
      // A group of its own: it is told once to end, by us, and what it leaves behind can be found.
      detached: true,
    },
  );
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (!ended.aborted) process.stderr.write(text);
    said += text;
  });
  let killing: NodeJS.Timeout | undefined;
  const end = () => {
    child.kill("SIGINT");
    killing = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  };
  ended.addEventListener("abort", end);
  if (ended.aborted) end();
  const status = await new Promise<number | null>((done) => child.on("exit", done));
  ended.removeEventListener("abort", end);
  clearTimeout(killing);
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {} // nothing is left of its group
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const found = lines.map((line) => JSON.parse(line) as Figure | Absent);
  if (status === 0) return { figures: found };
  const error = /^(?:\w*Error\b.*|Error: .*)$/m.exec(said)?.[0] ?? said.trim().split("\n").at(-1);
  const reason = ended.aborted
    ? `ended after ${Math.round(ms / 1000)} s`
    : (error ?? `exit status ${status}`);
  return { figures: found, reason };
}

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}
