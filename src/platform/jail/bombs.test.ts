/** Programs that take all they can get. How long each lived past its limit is printed; only generous bounds are asserted. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createJail, type JailExit, type JailSpec, readEnvironment } from "../index.ts";

const MIB = 1024 * 1024;
const GRACE_MS = 2000;
const PYTHON = "/usr/bin/python3";
const NODE = process.execPath;
const jail = await createJail({ env: readEnvironment() });
const skip = jail.level === "reduced" ? `no jail: ${jail.reason}` : !existsSync(PYTHON) && `no ${PYTHON}`;

const python = (code: string): JailSpec => ({ argv: [PYTHON, "-I", "-c", code] });
const sh = (script: string): JailSpec => ({ argv: ["/bin/sh", "-c", script], fork: true });
const node = (code: string): JailSpec => ({ argv: [NODE, "-e", code], read: [NODE] });

async function stops(t: TestContext, spec: JailSpec, ...by: JailExit["stopped"][]): Promise<void> {
  const limits = { wallMs: 20_000, memoryBytes: 200 * MIB, processes: 64, outputBytes: MIB, ...spec.limits };
  const start = performance.now();
  const { stdout, stderr, exit } = await jail.run({ ...spec, limits });
  const took = performance.now() - start;
  assert.ok(by.includes(exit.stopped), JSON.stringify({ exit, took, stdout: stdout.length }));
  assert.ok(stdout.length + stderr.length <= limits.outputBytes);
  if (exit.stopped !== "wall") return t.diagnostic(`${took.toFixed(0)} ms from start to end`);
  t.diagnostic(`${(took - limits.wallMs).toFixed(0)} ms over its time, start included`);
  assert.ok(took < limits.wallMs + GRACE_MS, `${took} ms`);
}

const BOMBS: [name: string, spec: JailSpec, by: JailExit["stopped"]][] = [
  ["sleeps", { argv: ["/bin/sleep", "1000"], limits: { wallMs: 300 } }, "wall"],
  ["computes in Node", { ...node("for (;;);"), limits: { wallMs: 500 } }, "wall"],
  ["computes in Python", { ...python("while True: pass"), limits: { wallMs: 300 } }, "wall"],
  [
    "ignores every signal",
    {
      ...python(
        "import signal\nfor s in range(1, 32):\n  try: signal.signal(s, signal.SIG_IGN)\n  except: pass\nwhile True: signal.pause()",
      ),
      limits: { wallMs: 500 },
    },
    "wall",
  ],
  ["allocates in Python", python("a = []\nwhile True: a.append(bytearray(1 << 20))"), "memory"],
  ["allocates in Node", node("const a = []; for (;;) a.push(Buffer.alloc(1 << 20, 1))"), "memory"],
  ["allocates objects in Node", node("const a = []; for (;;) a.push({ a })"), "memory"],
  [
    "allocates in many processes",
    sh(
      `for n in 1 2 3 4 5 6; do ${PYTHON} -I -c "a = bytearray(60 << 20); import time; time.sleep(100)" & done; wait`,
    ),
    "memory",
  ],
  [
    "fills page tables",
    python(`
import ctypes
libc = ctypes.CDLL(None); libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
while True:
    p = libc.mmap(None, 1 << 38, 1, 0x4022, -1, 0)
    for at in range(p, p + (1 << 38), 1 << 21): ctypes.c_char.from_address(at).value`),
    "memory",
  ],
  [
    "makes empty files",
    {
      ...python("import os\nfor n in range(10**9): os.mkdir('/tmp/%d' % n)"),
      limits: { memoryBytes: 64 * MIB },
    },
    "memory",
  ],
  [
    "fills /tmp",
    {
      ...python("while True: open('/tmp/a', 'ab').write(b'x' * (1 << 20))"),
      limits: { fileBytes: 1024 * MIB },
    },
    "memory",
  ],
  [
    "forks from threads",
    {
      ...python(`
import os, threading
def more():
    while True:
        try:
            if os.fork() == 0: break
        except OSError: pass
for _ in range(3): threading.Thread(target=more).start()
more()`),
      fork: true,
    },
    "processes",
  ],
  [
    "starts threads",
    python(`
import threading, time
while True:
    try: threading.Thread(target=time.sleep, args=(100,)).start()
    except RuntimeError: pass`),
    "processes",
  ],
  ["prints", { argv: ["/usr/bin/yes"] }, "output"],
  ["prints errors", python("import os\nwhile True: os.write(2, b'x' * 65536)"), "output"],
];

test("Jail ends a program that forks, or leaves it unable to", { skip }, (t) =>
  // exec: the shell may find no room to fork for its own sleep.
  stops(t, { ...sh("b() { b | b & }; b; exec sleep 100"), limits: { wallMs: 2000 } }, "processes", "wall"),
);

for (const [name, spec, by] of BOMBS)
  test(`Jail ends a program that ${name}`, { skip }, (t) => stops(t, spec, by));

test("Jail has no more room in /tmp than told, and no longer files", { skip }, async () => {
  using folder = temporaryFolder("jail");
  const code = `
import os
def fill(path, count):
    try:
        for n in range(count):
            with open(path % n, "wb", 0) as f:
                for _ in range(16):
                    if f.write(b"x" * (1 << 20)) < 1 << 20: return "short"
    except OSError as e: return e.strerror
import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
print(fill("/tmp/%d", 10), "/", fill(${JSON.stringify(folder.path)} + "/%d", 1))`;
  const limits = { fileBytes: 4 * MIB, wallMs: 20_000 };
  const { stdout, stderr } = await jail.run({ ...python(code), write: [folder.path], limits });
  assert.match(
    `${stdout}${stderr}`,
    /^(?:No space left on device|File too large|short) \/ (?:File too large|short)/,
  );
});

test("Jail opens no more files than told", { skip }, async () => {
  const code =
    "import os\ntry:\n  while True: n = os.open('/', 0)\nexcept OSError as e: print(n, e.strerror)";
  const { stdout } = await jail.run({ ...python(code), limits: { openFiles: 32 } });
  assert.equal(stdout.toString(), "31 Too many open files\n");
});

test("Jail leaves no core file, not even with a program that collects them", { skip }, async () => {
  using folder = temporaryFolder("jail");
  const code = "import os, resource; print(resource.getrlimit(resource.RLIMIT_CORE), flush=True); os.abort()";
  const { stdout, exit } = await jail.run({ ...python(code), write: [folder.path], cwd: folder.path });
  assert.equal(stdout.toString(), "(1, 1)\n");
  assert.equal(exit.signal, "SIGABRT");
  assert.deepEqual(readdirSync(folder.path), []);
});

test("A waiting program gets its time, and its room for output, when it gets its work", {
  skip,
}, async () => {
  const spec = {
    ...python("import sys\nfor line in sys.stdin: print('x' * 900, flush=True)"),
    limits: { wallMs: Infinity, outputBytes: 1000 },
  };
  const jailed = await jail.start(spec);
  jailed.stdin.write("a\n");
  await once(jailed.stdout, "data");
  jailed.limit({ wallMs: 500, outputBytes: 1000 });
  jailed.stdin.write("a\n");
  await once(jailed.stdout, "data");
  const assigned = performance.now();
  const exit = await jailed.exited;
  assert.equal(exit.stopped, "wall");
  assert.ok(performance.now() - assigned < 500 + GRACE_MS);
});
