/**
 * What a host costs: a skill's function that returns at once, in a host that waits (warm) and in one that has to start
 * (cold), turn by turn beside bare processes of the same runtime: one that starts and ends, and one that waits for the
 * path of a module, loads it, calls it and answers. Targets: warm 2 ms, cold at most +100 ms.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createJail, readEnvironment } from "../src/platform/index.ts";
import {
  type CodeJob,
  findPython,
  HostPool,
  hostLimits,
  stripSkillFiles,
} from "../src/skills/hosts/index.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { inTurns, timed } from "./support/in-turns.ts";
import { absent, report } from "./support/report.ts";

const env = readEnvironment();
const jail = await createJail({ env });
const python = await findPython(env);

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
using folder = temporaryFolder("bench");
for (const [name, content] of files.files)
  writeFileSync(join(folder.path, name.replace(".ts", ".mjs")), content);
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
      keychain: refuse,
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
  try {
    await sleep(300);
    return await timed(async () => {
      child.stdin.write(path.endsWith(".py") ? `${path}\n` : path);
      await new Promise((done) => child.stdout.once("data", done));
    });
  } finally {
    child.kill("SIGKILL");
  }
}

async function run(pool: HostPool, language: CodeJob["language"]): Promise<void> {
  const outcome = await pool.run(job(language));
  if (outcome.kind !== "returned" || outcome.value !== 2) throw new Error(JSON.stringify(outcome));
}

await measure("typescript", [process.execPath, "-e"], "0");
if (python === undefined) absent("a Python function", "python3 not installed");
else if (jail.level === "reduced") absent("a Python function", `no jail here: ${jail.reason}`);
else await measure("python", [python.executable, "-I", "-c"], "pass");

async function measure(language: CodeJob["language"], program: string[], nothing: string): Promise<void> {
  await using warm = new HostPool({ jail, node: process.execPath, python });
  await using cold = new HostPool({ jail, node: process.execPath, python, size: 0 });
  const path = join(folder.path, language === "python" ? "skill.py" : "skill.mjs");
  const times = await inTurns(
    {
      bare: () => bare([...program, nothing]),
      cold: () => run(cold, language),
      waiting: () => waiting([...program, WAITING[language]], path),
      warm: {
        before: async () => {
          await warm.warm(language);
          await sleep(20); // the machine is still busy with the host it started
        },
        run: () => run(warm, language),
      },
    },
    { rounds: 20, warmUp: 3, seconds: 12 },
  );
  const name = language === "python" ? "Python" : "TypeScript";
  report({
    what: `a ${name} function, warm host`,
    unit: "ms",
    ours: times.warm,
    beside: { what: "bare process that waits", samples: times.waiting },
    target: { kind: "at most", value: 2 },
  });
  report({
    what: `a ${name} function, cold host`,
    unit: "ms",
    ours: times.cold,
    beside: { what: "bare process", samples: times.bare },
    target: { kind: "added at most", value: 100 },
  });
}
