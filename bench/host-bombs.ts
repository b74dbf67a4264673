/**
 * What bombs cost others: honest runs, one every 50 ms, alone and while two bombs of a kind go off every second. Targets:
 * the 99th percentile at most doubles, and no bomb lives longer than its limit and 250 ms.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { hostPool, noPython, runSkill } from "../test/support/skill-host.ts";
import { inTurns } from "./support/in-turns.ts";
import { absent, report } from "./support/report.ts";

const RUNS = 100;
const EVERY_MS = 50;
const LIMIT_MS = 1000;
const GRACE_MS = 250;
const MIB = 1024 * 1024;
const limits = { timeoutMs: LIMIT_MS, memoryBytes: 192 * MIB, outputBytes: 2 * MIB };

const typescript = (code: string) => ({
  "skill.ts": `export async function go(run) { run.log("begun"); ${code} }`,
});
const python = (code: string) => ({ "skill.py": `def go():\n    print("begun", flush=True)\n    ${code}` });
const honest = typescript(`return (await run.http.get("/x")).json().url;`);
const bombs: Record<string, Record<string, string>> = {
  loops: typescript("for (;;);"),
  "bombs of memory": typescript("const all = []; for (;;) all.push({ a: [all.length] });"),
  "bombs of output": typescript("for (;;) console.log('x'.repeat(1000));"),
};
if (noPython === false) {
  bombs["bombs of threads"] = python(
    "import threading, time\n    for i in range(100000): threading.Thread(target=time.sleep, args=(1000,)).start()",
  );
  bombs["bombs of forks"] = python(
    "import os\n    while True:\n        try: os.fork()\n        except OSError: pass",
  );
} else absent("a run beside bombs of threads and forks", noPython);

await using pool = hostPool({ size: 2 });
await pool.warm("typescript");

/** Two at a time until it is aborted; answers with how long each lived from its first word. */
async function bomb(files: Record<string, string>, signal: AbortSignal): Promise<number[]> {
  const lives: number[] = [];
  while (!signal.aborted) {
    const again = sleep(LIMIT_MS);
    const pair = [0, 1].map(async () => {
      let begun: number | undefined;
      await runSkill(pool, files, "go", { limits, serve: { log: () => (begun ??= performance.now()) } });
      if (begun !== undefined) lives.push(performance.now() - begun);
    });
    await Promise.all([...pair, again]);
  }
  return lives;
}

async function honestRuns(): Promise<number[]> {
  const run = async () => {
    const { took, value } = await runSkill(pool, honest, "go");
    if (value !== "/x") throw new Error(String(value));
    return took;
  };
  const { times } = await inTurns(
    { times: { before: () => sleep(EVERY_MS), run } },
    { rounds: RUNS, warmUp: 5, seconds: 12 },
  );
  return times;
}

const beside = { what: "alone", samples: await honestRuns() };
const lives: number[] = [];
for (const [name, files] of Object.entries(bombs)) {
  const stop = new AbortController();
  const bombing = bomb(files, stop.signal);
  const ours = await honestRuns().finally(() => stop.abort());
  lives.push(...(await bombing));
  const target = { kind: "ratio at most", value: 2, by: "p99" } as const;
  report({ what: `a run beside ${name}`, unit: "ms", ours, beside, target });
}
report({
  what: `the longest life of a bomb, its limit ${LIMIT_MS} ms`,
  unit: "ms",
  ours: Math.max(...lives),
  target: { kind: "at most", value: LIMIT_MS + GRACE_MS },
});
