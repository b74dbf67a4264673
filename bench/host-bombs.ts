/**
 * What bombs cost others: honest runs, one every 50 ms, alone and while two bombs of a kind go off every second. Target:
 * the 99th percentile at most doubles, and no bomb lives longer than its limit and 250 ms.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { hostPool, jail, noPython, runSkill } from "../test/support/skill-host.ts";

const RUNS = 100;
const EVERY_MS = 50;
const LIMIT_MS = 1000;
const GRACE_MS = 250;
const MIB = 1024 * 1024;
const TARGET = 2;
const limits = { timeoutMs: LIMIT_MS, memoryBytes: 192 * MIB, outputBytes: 2 * MIB };

const typescript = (code: string) => ({
  "skill.ts": `export async function go(run) { run.log("begun"); ${code} }`,
});
const python = (code: string) => ({ "skill.py": `def go():\n    print("begun", flush=True)\n    ${code}` });
const honest = typescript(`return (await run.http.get("/x")).json().url;`);
const bombs: Record<string, Record<string, string>> = {
  "a loop": typescript("for (;;);"),
  memory: typescript("const all = []; for (;;) all.push({ a: [all.length] });"),
  output: typescript("for (;;) console.log('x'.repeat(1000));"),
  ...(noPython === false
    ? {
        threads: python(
          "import threading, time\n    for i in range(100000): threading.Thread(target=time.sleep, args=(1000,)).start()",
        ),
        forks: python("import os\n    while True:\n        try: os.fork()\n        except OSError: pass"),
      }
    : {}),
};

console.log(`isolation ${jail.level}${jail.reason === undefined ? "" : `: ${jail.reason}`}`);
await using pool = hostPool({ size: 2 });
await pool.warm("typescript");

let longest = 0;
async function bomb(files: Record<string, string>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const again = sleep(LIMIT_MS);
    const pair = [0, 1].map(async () => {
      let begun: number | undefined;
      await runSkill(pool, files, "go", { limits, serve: { log: () => (begun ??= performance.now()) } });
      if (begun !== undefined) longest = Math.max(longest, performance.now() - begun);
    });
    await Promise.all([...pair, again]);
  }
}

async function honestRuns(): Promise<number[]> {
  const times: number[] = [];
  for (let round = -5; round < RUNS; round++) {
    const { took, value } = await runSkill(pool, honest, "go");
    if (value !== "/x") throw new Error(String(value));
    if (round >= 0) times.push(took);
    await sleep(EVERY_MS);
  }
  return times.sort((a, b) => a - b);
}

const at = (list: number[], share: number) =>
  list[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0;
const show = (list: number[]) => `p50 ${at(list, 0.5).toFixed(1)} ms, p99 ${at(list, 0.99).toFixed(1)} ms`;

const alone = await honestRuns();
console.log(`  alone: ${show(alone)}`);
let missed = false;
for (const [name, files] of Object.entries(bombs)) {
  const stop = new AbortController();
  longest = 0;
  const bombing = bomb(files, stop.signal);
  const beside = await honestRuns();
  stop.abort();
  await bombing;
  const ratio = at(beside, 0.99) / at(alone, 0.99);
  missed ||= ratio > TARGET || longest > LIMIT_MS + GRACE_MS;
  console.log(
    `  beside ${name}: ${show(beside)}: x${ratio.toFixed(2)} at p99 (target x${TARGET}), ` +
      `x${(at(beside, 0.5) / at(alone, 0.5)).toFixed(2)} at p50; the longest bomb lived ${longest.toFixed(0)} ms (limit ${LIMIT_MS})`,
  );
}
process.exitCode = missed ? 1 : 0;
