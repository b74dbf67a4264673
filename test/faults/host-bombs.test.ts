/** What takes time, memory, processes or room without end is ended, and nobody else notices. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { did } from "../support/fault-form.ts";
import { hostPool, noFullJail, noPython, runSkill } from "../support/skill-host.ts";

const skip = noFullJail;
const TIME = 1500;
/** The target is 250 ms; a machine that runs other tests is given more. */
const GRACE = 5000;
const MIB = 1024 * 1024;
const pool = hostPool({ size: 2 });
after(() => pool[Symbol.asyncDispose]());

interface Bomb {
  readonly code: string;
  readonly why: readonly string[];
}

const typescriptBombs: Record<string, Bomb> = {
  "a loop": { code: "for (;;);", why: ["timeout"] },
  "a loop of promises": { code: "for (;;) await null;", why: ["timeout"] },
  "a wait without an end": {
    code: "await new Promise(() => setInterval(() => {}, 1000));",
    why: ["timeout"],
  },
  "a blocked thread": {
    code: "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
    why: ["timeout"],
  },
  "a slow regular expression": { code: `/^(a+)+$/.test("a".repeat(40) + "b");`, why: ["timeout"] },
  objects: { code: "const all = []; for (;;) all.push({ a: [all.length] });", why: ["memory"] },
  buffers: {
    code: "const all = []; for (;;) { all.push(Buffer.alloc(1 << 24, 1)); await null; }",
    why: ["memory", "crashed"],
  },
  "a long text": {
    code: "let s = 'x'; for (;;) { s += s; s.charCodeAt(s.length - 1); }",
    why: ["threw", "memory"],
  },
  "a deep stack": { code: "const f = () => f() + 1; f();", why: ["threw"] },
  "typed arrays": {
    code: "const all = []; for (;;) all.push(new Float64Array(1 << 21).fill(1));",
    why: ["memory", "crashed", "threw"],
  },
  printing: { code: "for (;;) console.log('x'.repeat(1000));", why: ["output"] },
  "a large answer": { code: "return 'x'.repeat(8 * 1024 * 1024);", why: ["output"] },
  exit: { code: "process.exit(0);", why: ["crashed"] },
  "an open promise and nothing else": { code: "await new Promise(() => {});", why: ["crashed"] },
};

const pythonBombs: Record<string, Bomb> = {
  "a loop": { code: "while True: pass", why: ["timeout"] },
  "a sleep": { code: "import time; time.sleep(1000)", why: ["timeout"] },
  "signals ignored": {
    code: "import signal\n    for s in range(1, 32):\n        try: signal.signal(s, signal.SIG_IGN)\n        except (OSError, ValueError): pass\n    while True: pass",
    why: ["timeout"],
  },
  memory: { code: "all = []\n    while True: all.append(bytearray(1 << 24))", why: ["memory"] },
  "one large block": { code: "return len(bytearray(1 << 36))", why: ["memory"] },
  "a number": { code: "x = 10 ** (10 ** 9)", why: ["timeout", "memory"] },
  threads: {
    code: "import threading, time\n    for i in range(100000): threading.Thread(target=time.sleep, args=(1000,)).start()",
    why: ["crashed", "threw", "memory"],
  },
  forks: { code: "import os\n    while True: os.fork()", why: ["threw"] },
  printing: { code: "while True: print('x' * 1000)", why: ["output"] },
  "a full disk": {
    code: "f = open('/tmp/big', 'wb')\n    while True: f.write(bytes(1 << 20))",
    why: ["threw", "crashed"],
  },
  descriptors: { code: "all = []\n    while True: all.append(open('/dev/null'))", why: ["threw"] },
  recursion: { code: "def f(): return f()\n    return f()", why: ["threw"] },
  abort: { code: "import os; os.abort()", why: ["crashed"] },
};

const limits = { timeoutMs: TIME, memoryBytes: 192 * MIB, outputBytes: 2 * MIB };
const ended = (outcome: { kind: string; why?: string }) => outcome.why ?? outcome.kind;

function bomb(language: string, name: string, { code, why }: Bomb, files: Record<string, string>): void {
  test(`${language}: ${name} is ended`, { skip: language === "Python" ? noPython : skip }, async (t) => {
    await pool.warm(language === "Python" ? "python" : "typescript");
    const { outcome, took } = await runSkill(pool, files, "go", { limits });
    t.diagnostic(`${ended(outcome)} after ${took.toFixed(0)} ms, limit ${TIME} ms`);
    // On a busy machine the time may be up before the memory is.
    const allowed = why.includes("memory") ? [...why, "timeout"] : why;
    assert.ok(allowed.includes(ended(outcome)), JSON.stringify(outcome));
    assert.ok(took < TIME + GRACE, `${took} ms: ${code}`);
    did(t, { bombs: 1 }, { "not ended": 0 });
  });
}

for (const [name, given] of Object.entries(typescriptBombs))
  bomb("TypeScript", name, given, { "skill.ts": `export async function go(run) { ${given.code} }` });
for (const [name, given] of Object.entries(pythonBombs))
  bomb("Python", name, given, { "skill.py": `def go():\n    ${given.code}` });

test("other runs and the engine go on while bombs go off", { skip }, async (t) => {
  const honest = {
    "skill.ts": `export async function go(run) { return (await run.http.get("/x")).json().url; }`,
  };
  const bombs = ["for (;;);", "const a = []; for (;;) a.push({ a });"].map((code) =>
    runSkill(pool, { "skill.ts": `export async function go() { ${code} }` }, "go", { limits }),
  );
  const times: number[] = [];
  for (let round = 0; round < 10; round++) {
    const { value, took } = await runSkill(pool, honest, "go");
    assert.equal(value, "/x");
    times.push(took);
  }
  for (const outcome of await Promise.all(bombs)) assert.equal(outcome.outcome.kind, "stopped");
  t.diagnostic(`honest runs meanwhile: ${times.map((ms) => ms.toFixed(0)).join(" ")} ms`);
  did(t, { "honest runs beside": times.length }, { disturbed: 0 });
});
