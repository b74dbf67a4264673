/**
 * Runs the fault suites in their long forms, and ends with what each did and found: `npm run test:faults`.
 * `vault sync` names suites, `--minutes 30` fits all to a time, `--seed n` draws again what a run drew, `--json file` keeps
 * the table. A fault suite is a test file that says what it did: one that imports `did` of test/support/fault-form.ts.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, release, tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

interface Suite {
  readonly name: string;
  readonly file: string;
  /** Does the same each time, whatever time there is. */
  readonly isFixed: boolean;
  readonly isSeeded: boolean;
  /** Kills or times others: two of these would disturb each other, so they run one at a time. */
  readonly hasProcesses: boolean;
}

interface Result {
  readonly suite: string;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly did: Record<string, number>;
  readonly found: Record<string, number>;
  readonly seconds: number;
  readonly seed: number | null;
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

const { values: given, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string" }, seed: { type: "string" }, json: { type: "string" } },
});
const minutes = numberOf("--minutes", given.minutes);
const seed = numberOf("--seed", given.seed) ?? Math.floor(Math.random() * 2 ** 31);
const begun = Date.now();
const until = minutes === undefined ? undefined : begun + minutes * 60_000;
/** Longer than a suite takes for what is not counted in rounds: one that hangs is ended. */
const PATIENCE_MS = 20 * 60_000;
const UNBOUNDED_MS = 6 * 3_600_000;

const all = findSuites();
const suites = all.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (suites.length === 0) {
  console.error(`No fault suite is called so. There are: ${all.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
// Every test file, command and engine is a process: what one has compiled, none of the others compiles again.
process.env["NODE_COMPILE_CACHE"] ??= resolve("node_modules/.cache/deputy");
const folder = mkdtempSync(join(tmpdir(), "deputy-faults-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.once("SIGINT", () => process.exit(130));
const time = minutes === undefined ? "the full long forms" : `${minutes} minutes`;
console.log(`${suites.length} fault suites, ${time}, seed ${seed}\n`);

const [alone, beside] = [suites.filter((one) => one.hasProcesses), suites.filter((one) => !one.hasProcesses)];
// What only computes may run beside the others, where there is a processor for it.
const lanes = availableParallelism() > 1 ? [alone, beside] : [[...alone, ...beside]];
const results = (await Promise.all(lanes.map(runLane))).flat().sort((a, b) => (a.suite < b.suite ? -1 : 1));
tell(results);
process.exitCode = results.some(({ outcome }) => outcome === "failed") ? 1 : 0;

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  console.error(`${option} takes a number, not "${text}".`);
  process.exit(2);
}

function findSuites(): Suite[] {
  return globSync(["src/**/*.test.ts", "test/**/*.test.ts", "skills/**/*.test.ts"])
    .map((file) => file.replaceAll("\\", "/"))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(file, "utf8");
      const [, imported = ""] = /import \{([^}]*)\} from "[^"]*\/fault-form\.ts"/.exec(text) ?? [];
      if (!/\bdid\b/.test(imported) && !file.startsWith("test/faults/")) return [];
      const name = file.replace(/^(src|test\/faults|test)\//, "").replace(/\.test\.ts$/, "");
      const hasProcesses = /\b(ChildScript|TestHome|McpShop|hostPool|noChromium|noKeyring)\b/.test(text);
      const [isFixed, isSeeded] = [!/\bRounds\b/.test(imported), /\bseed\b/.test(imported)];
      return [{ name, file, isFixed, isSeeded, hasProcesses }];
    });
}

/** One after another, those of fixed length first: what is left of the time is shared by the rest. */
async function runLane(lane: readonly Suite[]): Promise<Result[]> {
  const done: Result[] = [];
  const ordered = lane.toSorted((a, b) => Number(b.isFixed) - Number(a.isFixed));
  for (const [at, suite] of ordered.entries()) {
    const left = until === undefined ? undefined : Math.max(until - Date.now(), 1000);
    const share =
      left === undefined || suite.isFixed ? undefined : Math.ceil(left / (ordered.length - at) / 1000);
    const result = await runSuite(suite, share);
    done.push(result);
    const { outcome, seconds } = result;
    console.log(`${outcome === "failed" ? "✖" : "✔"} ${suite.name} (${seconds} s): ${summary(result)}`);
  }
  return done;
}

/** The test file in a process of its own, as `node --test` would run it. */
async function runSuite({ name, file, isSeeded }: Suite, share: number | undefined): Promise<Result> {
  const report = join(folder, `${name.replaceAll("/", "-")}.jsonl`);
  writeFileSync(report, "");
  const started = Date.now();
  const child = spawn(process.execPath, [...process.execArgv, "--test-reporter=spec", file], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: share === undefined ? UNBOUNDED_MS : share * 1000 + PATIENCE_MS,
    env: {
      ...process.env,
      NODE_TEST_CONTEXT: undefined, // set where this is itself run by a test
      DEPUTY_FAULTS: "long",
      DEPUTY_SEED: String(seed),
      DEPUTY_FAULT_REPORT: report,
      ...(share === undefined ? {} : { DEPUTY_FAULT_SECONDS: String(share) }),
    },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => (text += part.toString()));
  const [status] = (await once(child, "close")) as [number | null];
  if (status !== 0) console.log(text);
  const named = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, what = ""]) => what))];
  const failed = status === 0 ? [] : named(/^✖ (.*) \([\d.]+ms\)$/gm);
  if (status !== 0 && failed.length === 0) failed.push(status === null ? "it was ended" : `status ${status}`);
  const skipped = named(/^﹣ (.*)$/gm).map((line) => line.replace(/ \([\d.]+ms\) # /, ": "));

  const [did, found] = [new Map<string, number>(), new Map<string, number>()];
  for (const line of readFileSync(report, "utf8").split("\n").filter(Boolean)) {
    const said = JSON.parse(line) as { done: Record<string, number>; found: Record<string, number> };
    for (const [what, count] of Object.entries(said.done)) did.set(what, (did.get(what) ?? 0) + count);
    for (const [what, count] of Object.entries(said.found)) found.set(what, (found.get(what) ?? 0) + count);
  }
  // One that says nothing may have tried nothing.
  if (failed.length === 0 && did.size === 0 && skipped.length === 0)
    failed.push("it does not say what it did");
  return {
    suite: name,
    outcome: failed.length > 0 ? "failed" : did.size === 0 ? "skipped" : "passed",
    did: Object.fromEntries(did),
    found: Object.fromEntries(found),
    seconds: Math.round((Date.now() - started) / 1000),
    seed: isSeeded ? seed : null,
    failed,
    skipped,
  };
}

function counted(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([what, count]) => `${count.toLocaleString("en")} ${what}`)
    .join(", ");
}

function summary({ outcome, did, found, failed, skipped }: Result): string {
  if (outcome === "failed") return `FAILED: ${failed.join("; ")}`;
  return outcome === "skipped" ? `skipped: ${skipped.join("; ")}` : `${counted(did)}: ${counted(found)}`;
}

function tell(results: readonly Result[]): void {
  const head = ["suite", "did", "found", "seconds", "seed"];
  const rows = results.map((result) => {
    const found = result.outcome === "passed" ? counted(result.found) : summary(result);
    return [result.suite, counted(result.did), found, String(result.seconds), String(result.seed ?? "")];
  });
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  console.log(["", head, ...rows].map((row) => (row === "" ? "" : line(row as string[]))).join("\n"));
  for (const { suite, skipped } of results)
    for (const what of skipped) console.log(`Could not run here: ${suite}: ${what}`);
  const seconds = Math.round((Date.now() - begun) / 1000);
  const failed = results.filter(({ outcome }) => outcome === "failed").length;
  console.log(`\n${results.length} suites in ${seconds} s, ${failed} failed, seed ${seed}`);
  if (given.json === undefined) return;
  const machine = {
    platform: `${process.platform} ${release()} ${process.arch}`,
    processor: `${availableParallelism()} x ${cpus()[0]?.model ?? "unknown"}`,
    memoryGB: Math.round(totalmem() / 1e9),
    node: process.version,
  };
  const kept = {
    at: new Date(begun).toISOString(),
    minutes: minutes ?? null,
    seed,
    seconds,
    machine,
    suites: results,
  };
  writeFileSync(given.json, `${JSON.stringify(kept, null, 2)}\n`);
}
