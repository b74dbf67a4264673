/**
 * Attempts to get out of a jail, from Python with raw system calls. Each runs alone in a jail of its own; it says
 * REACHED where it got somewhere, and what it was told otherwise.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { after, test } from "node:test";
import { ATTEMPTS_ON_FILES } from "../../../test/support/jail-attempts-on-files.ts";
import { ATTEMPTS_ON_SYSTEM } from "../../../test/support/jail-attempts-on-system.ts";
import { jailCanaries } from "../../../test/support/jail-canaries.ts";
import { createJail, readEnvironment, runProcess } from "../index.ts";
import { FORBIDDEN, HARMLESS_SHARED, JUDGED } from "./syscalls.ts";

const PYTHON = "/usr/bin/python3";
const jail = await createJail({ env: readEnvironment() });
const skip =
  jail.level === "reduced"
    ? `no jail: ${jail.reason}`
    : !existsSync(PYTHON) && `no ${PYTHON}, or it is not the system's`;

const canaries = await jailCanaries();
after(() => canaries[Symbol.asyncDispose]());
const own = `DEPUTY_JAIL_TEST_${process.pid}`;
process.env[own] = canaries.word;
after(() => delete process.env[own]);

const machine = process.arch === "arm64" ? 1 : 0;
const numbers = Object.fromEntries(
  Object.entries({ ...FORBIDDEN, ...JUDGED }).map(([name, both]) => [name, both[machine]]),
);
const facts = JSON.stringify({ ...canaries.facts, numbers });

const PRELUDE = `
import ctypes, errno, json, mmap, os, resource, signal, socket, stat, subprocess, sys, threading, time
F = json.loads(sys.stdin.readline())
N = F["numbers"]
libc = ctypes.CDLL(None, use_errno=True)
class Refused(Exception): pass
def call(nr, *args):
    nr = N[nr] if isinstance(nr, str) else nr
    if nr is None: raise Refused("no such call on this machine")
    args = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    got = libc.syscall(ctypes.c_long(nr), *args)
    if got == -1:
        code = ctypes.get_errno()
        raise OSError(code, errno.errorcode.get(code, str(code)))
    return got
def seek(text):
    if isinstance(text, bytes): text = text.decode("latin1")
    if F["word"] not in text: raise Refused("not in " + str(len(text)) + " characters")
def connect(family, address, kind=socket.SOCK_STREAM):
    s = socket.socket(family, kind); s.settimeout(2); s.connect(address); seek(s.recv(100))
def attempt():
`;
const POSTLUDE = `
try:
    attempt()
    print("REACHED")
except SystemExit: raise
except BaseException as e: print("refused:", type(e).__name__, e)
`;

const ATTEMPTS = { ...ATTEMPTS_ON_FILES, ...ATTEMPTS_ON_SYSTEM };

function program(code: string): string {
  const body = code
    .trim()
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
  return PRELUDE + body + POSTLUDE;
}

test("the corpus is large enough to mean something", () => {
  assert.ok(Object.keys(ATTEMPTS).length >= 120, `${Object.keys(ATTEMPTS).length} attempts`);
});

for (const [name, { code, killed }] of Object.entries(ATTEMPTS)) {
  test(`Jail refuses Python ${name}`, { skip }, async () => {
    const { stdout, stderr, exit } = await jail.run({
      argv: [PYTHON, "-I", "-c", program(code)],
      read: [canaries.shared],
      write: [canaries.work],
      limits: { wallMs: 20_000 },
      input: `${facts}\n`,
    });
    const said = `${stdout} ${stderr} ${JSON.stringify(exit)}`;
    assert.doesNotMatch(said, /REACHED/);
    assert.ok(!said.includes(canaries.word), said);
    assert.equal(exit.stopped, null, said);
    if (killed && process.arch === "x64") assert.equal(exit.signal, "SIGSYS", said);
    else assert.match(said, /refused:|bwrap: |su: /);
    assert.deepEqual(canaries.reached(), []);
  });
}

test("without a jail the attempts marked so do succeed, so that they prove something", {
  skip,
}, async (t) => {
  const failed: string[] = [];
  for (const [name, { code, open }] of Object.entries(ATTEMPTS)) {
    if (open !== true) continue;
    const control = await controlCanaries();
    const { stdout } = await runProcess([PYTHON, "-I", "-c", program(code)], { input: `${control}\n` });
    if (!stdout.toString().includes("REACHED")) failed.push(`${name}: ${stdout.toString().trim()}`);
  }
  if (failed.length > 0) t.diagnostic(`refused here even without a jail: ${failed.join("; ")}`);
  const open = Object.values(ATTEMPTS).filter((attempt) => attempt.open).length;
  assert.ok(failed.length <= open / 4, failed.join("\n"));
});

/** The control runs reach things on purpose: not those the jail is judged by. */
let control: Awaited<ReturnType<typeof jailCanaries>> | undefined;
after(() => control?.[Symbol.asyncDispose]());
async function controlCanaries(): Promise<string> {
  control ??= await jailCanaries();
  return JSON.stringify({ ...control.facts, numbers });
}

test("Every forbidden system call fails, and every call this Deputy does not know", { skip }, async () => {
  const code = `
for name, nr in N.items():
    if nr is None or name not in F["forbidden"]: continue
    try: call(nr, 0, 0, 0, 0, 0, 0); print("open:", name)
    except OSError as e:
        if e.errno != errno.EPERM: print("wrong:", name, e)
for nr in list(range(424, 520)) + [1000, 0x40000000, 0x7fffffff]:
    if nr in F["harmless"]: continue
    try: call(nr, 0, 0, 0, 0, 0, 0); print("open:", nr)
    except OSError as e:
        if e.errno not in (errno.ENOSYS, errno.EPERM) and nr != 452: print("wrong:", nr, e)
raise Refused("all")`;
  const input = JSON.stringify({
    ...canaries.facts,
    numbers,
    forbidden: Object.keys(FORBIDDEN),
    harmless: Object.values(HARMLESS_SHARED),
  });
  const { stdout, stderr } = await jail.run({
    argv: [PYTHON, "-I", "-c", program(code)],
    input: `${input}\n`,
  });
  assert.equal(`${stdout}${stderr}`.trim(), "refused: Refused all");
});

test("Nothing that was tried left anything in the writable folder but plain files and links", {
  skip,
}, () => {
  for (const entry of readdirSync(canaries.work, { withFileTypes: true }))
    assert.ok(entry.isFile() || entry.isSymbolicLink(), entry.name);
});
