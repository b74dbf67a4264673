/**
 * What a host costs: a skill's function that returns at once, in a host that waits (warm) and in one that has to start
 * (cold), beside a bare process of the same runtime, turn by turn. Targets: warm 2 ms, cold at most +100 ms.
 */
import { spawn } from "node:child_process";
import { createJail, readEnvironment } from "../src/platform/index.ts";
import {
  type CodeJob,
  findPython,
  HostPool,
  hostLimits,
  stripSkillFiles,
} from "../src/skills/hosts/index.ts";

const ROUNDS = 40;
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

async function bare(argv: readonly [string, ...string[]]): Promise<void> {
  const child = spawn(argv[0], argv.slice(1), { env: {}, stdio: "ignore" });
  await new Promise((done) => child.on("close", done));
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
  const argv =
    language === "python"
      ? ([python?.executable ?? "", "-I", "-c", "pass"] as const)
      : ([process.execPath, "-e", "0"] as const);
  await using warm = new HostPool({ jail, node: process.execPath, python });
  await using cold = new HostPool({ jail, node: process.execPath, python, size: 0 });
  const times: Record<"bare process" | "cold host" | "warm host", number[]> = {
    "bare process": [],
    "cold host": [],
    "warm host": [],
  };
  for (let round = -3; round < ROUNDS; round++) {
    const bareMs = await time(() => bare(argv));
    const coldMs = await time(() => run(cold, language));
    await warm.warm(language);
    await new Promise((done) => setTimeout(done, 20)); // the machine is still busy with the host it started
    const warmMs = await time(() => run(warm, language));
    if (round < 0) continue;
    times["bare process"].push(bareMs);
    times["cold host"].push(coldMs);
    times["warm host"].push(warmMs);
  }
  console.log(`${language}, ${ROUNDS} rounds`);
  for (const [name, list] of Object.entries(times))
    console.log(`  ${name.padEnd(13)} p50 ${p50(list).toFixed(2)} ms, least ${(list[0] ?? 0).toFixed(2)} ms`);
  const [bareMs, coldMs, warmMs] = [times["bare process"], times["cold host"], times["warm host"]].map(p50);
  const over = (coldMs ?? 0) - (bareMs ?? 0);
  const met = (warmMs ?? 0) <= WARM_TARGET_MS && over <= COLD_TARGET_MS;
  missed ||= language === "typescript" && !met;
  console.log(
    `  warm ${warmMs?.toFixed(2)} ms (target ${WARM_TARGET_MS}), cold +${over.toFixed(1)} ms over the bare process ` +
      `(target +${COLD_TARGET_MS}): ${met ? "met" : "MISSED"}`,
  );
}
process.exitCode = missed ? 1 : 0;
