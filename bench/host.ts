/**
 * What a host costs: a skill's function that returns at once, in a host that waits (warm) and in one that has to start
 * (cold), turn by turn beside bare processes of the same runtime: one that starts and ends, and one that waits for the
 * path of a module, loads it, calls it and answers. Targets: warm 2 ms, cold at most +100 ms.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createJail, readEnvironment } from "../src/platform/index.ts";
import {
  type CodeJob,
  findPython,
  HostPool,
  hostLimits,
  stripSkillFiles,
} from "../src/skills/hosts/index.ts";

const ROUNDS = 30;
const WARM_TARGET_MS = 2;
const COLD_TARGET_MS = 100;

const env = readEnvironment();
const jail = await createJail({ env });
const python = await findPython(env);
console.log(`isolation ${jail.level}${jail.reason === undefined ? "" : `: ${jail.reason}`}`);

const text = (source: string) => new Uint8Array(Buffer.from(source));
const files = stripSkillFiles(
  new Map([
    [
      "skill.ts",
      text("export const answer = ({ params }: { params: { n: number } }): number => params.n + 1;"),
    ],
    ["skill.py", text("def answer(n, **_):\n    return n + 1\n")],
  ]),
);
const folder = mkdtempSync(join(tmpdir(), "deputy-bench-"));
for (const [name, content] of files.files) writeFileSync(join(folder, name.replace(".ts", ".mjs")), content);
const never = new AbortController().signal;

function job(language: CodeJob["language"]): CodeJob {
  const refuse = () => Promise.reject(new Error("not part of this"));
  return {
    language,
    files,
    module: language === "python" ? "./skill.py" : "./skill.ts",
    function: "answer",
    args: { n: 1 },
    context: { skill: "bench", operation: "answer", params: { n: 1 }, auth: {}, connection: null },
    paths: [],
    limits: hostLimits,
    signal: never,
    serve: {
      http: refuse,
      sql: refuse,
      shell: refuse,
      call: refuse,
      cacheGet: refuse,
      cacheSet: refuse,
      dataGet: refuse,
      dataSet: refuse,
      storeSecret: refuse,
      log: () => {},
      progress: () => {},
    },
  };
}

async function bare(argv: readonly string[]): Promise<void> {
  const child = spawn(argv[0]!, argv.slice(1), { env: {}, stdio: "ignore" });
  await new Promise((done) => child.on("close", done));
}

const WAITING = {
  typescript: `process.stdin.once("data", async (path) => process.stdout.write(String((await import(String(path))).answer({ params: { n: 1 } }))))`,
  python: `import importlib.util as u, sys
s = u.spec_from_file_location("s", sys.stdin.readline().strip())
m = u.module_from_spec(s); s.loader.exec_module(m); print(m.answer(1), flush=True); sys.stdin.read()`,
};

/** Ready when asked, as a warm host is; nothing confines it. */
async function waiting(argv: readonly string[], path: string): Promise<number> {
  const child = spawn(argv[0]!, argv.slice(1), { env: {}, stdio: ["pipe", "pipe", "ignore"] });
  await new Promise((done) => setTimeout(done, 300));
  const ms = await time(() => {
    child.stdin.write(path.endsWith(".py") ? `${path}\n` : path);
    return new Promise((done) => child.stdout.once("data", done));
  });
  child.kill("SIGKILL");
  return ms;
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function run(pool: HostPool, language: CodeJob["language"]): Promise<void> {
  const outcome = await pool.run(job(language));
  if (outcome.kind !== "returned" || outcome.value !== 2) throw new Error(JSON.stringify(outcome));
}

const p50 = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
let missed = false;
for (const language of ["typescript", "python"] as const) {
  if (language === "python" && (python === undefined || jail.level === "reduced")) continue;
  const isPython = language === "python";
  const program = isPython ? [python?.executable ?? "", "-I", "-c"] : [process.execPath, "-e"];
  const argv = [...program, isPython ? "pass" : "0"];
  const argvWaiting = [...program, WAITING[language]];
  const path = join(folder, isPython ? "skill.py" : "skill.mjs");
  await using warm = new HostPool({ jail, node: process.execPath, python });
  await using cold = new HostPool({ jail, node: process.execPath, python, size: 0 });
  const times = {
    "bare process": [] as number[],
    "cold host": [] as number[],
    "bare, waiting": [] as number[],
    "warm host": [] as number[],
  };
  for (let round = -3; round < ROUNDS; round++) {
    const bareMs = await time(() => bare(argv));
    const coldMs = await time(() => run(cold, language));
    const waitingMs = await waiting(argvWaiting, path);
    await warm.warm(language);
    await new Promise((done) => setTimeout(done, 20)); // the machine is still busy with the host it started
    const warmMs = await time(() => run(warm, language));
    if (round < 0) continue;
    times["bare process"].push(bareMs);
    times["cold host"].push(coldMs);
    times["bare, waiting"].push(waitingMs);
    times["warm host"].push(warmMs);
  }
  console.log(`${language}, ${ROUNDS} rounds`);
  for (const [name, list] of Object.entries(times))
    console.log(`  ${name.padEnd(13)} p50 ${p50(list).toFixed(2)} ms, least ${(list[0] ?? 0).toFixed(2)} ms`);
  const over = p50(times["cold host"]) - p50(times["bare process"]);
  const warmMs = p50(times["warm host"]);
  const ratio = warmMs / p50(times["bare, waiting"]);
  const met = warmMs <= WARM_TARGET_MS && over <= COLD_TARGET_MS;
  missed ||= language === "typescript" && !met;
  console.log(
    `  warm ${warmMs.toFixed(2)} ms, x${ratio.toFixed(2)} of a bare one (target ${WARM_TARGET_MS} ms), cold +${over.toFixed(1)} ms over the bare process ` +
      `(target +${COLD_TARGET_MS}): ${met ? "met" : "MISSED"}`,
  );
}
rmSync(folder, { recursive: true });
process.exitCode = missed ? 1 : 0;
