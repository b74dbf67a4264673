/**
 * Everything we know to try from inside a host: none of it may reach a file, the vault, the network, another run or the
 * engine.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { createJail } from "../../src/platform/index.ts";
import { pythonEscapes } from "../support/escape-python.ts";
import { typescriptEscapes } from "../support/escape-typescript.ts";
import { allottedMs, did, longForm, Rounds, seed, seededRandom } from "../support/fault-form.ts";
import { descendants } from "../support/process-memory.ts";
import { hostPool, noFullJail, noPython, runSkill, type ServedRun } from "../support/skill-host.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const AT_ONCE = 3;
const canary = `canary-${randomUUID()}`;
const folder = temporaryFolder("escape");
const name = `deputy-${randomUUID()}`;
const paths = {
  folder: folder.path,
  file: join(folder.path, "canary.txt"),
  json: join(folder.path, "canary.json"),
  vault: join(folder.path, "home", "vault.db"),
  unix: join(folder.path, "unix.sock"),
};
const connections: string[] = [];
const signals: string[] = [];
const servers: Server[] = [];
const udp = createSocket("udp4");
const pools = { full: hostPool({ size: AT_ONCE }), victim: hostPool({ size: 0, folder: folder.path }) };
const onSignal = () => void signals.push("SIGUSR2");
let to: Record<string, unknown> = {};
let endVictim: () => void = () => {};
let victim: Promise<ServedRun> | undefined;

before(async () => {
  mkdirSync(join(folder.path, "home"));
  writeFileSync(paths.file, `VALUE=${canary}\n`);
  writeFileSync(paths.json, JSON.stringify({ canary }));
  writeFileSync(paths.vault, `SQLite format 3\0${canary}`);
  process.on("SIGUSR2", onSignal);
  // oxlint-disable-next-line node/no-process-env -- what a host must not inherit
  process.env["DEPUTY_TEST_CANARY"] = canary;
  const listen = async (where: object) => {
    const server = createServer((socket) => {
      connections.push(JSON.stringify(where));
      socket.on("error", () => {}).end(canary);
    });
    servers.push(server);
    await new Promise<void>((done, fail) => server.on("error", fail).listen(where, done));
    return server.address();
  };
  const tcp = (await listen({ port: 0, host: "127.0.0.1" })) as { port: number };
  await listen({ port: tcp.port, host: "::1" }).catch(() => {}); // no IPv6 here
  await listen({ path: paths.unix });
  await listen({ path: `\0${name}` });
  udp.on("message", () => connections.push("udp"));
  await new Promise<void>((done) => udp.bind(0, "127.0.0.1", done));
  to = {
    ...paths,
    name: `${name}-x`,
    marker: canary,
    tcp: tcp.port,
    udp: udp.address().port,
    abstract: name,
    engine: process.pid,
  };
  if (noFullJail !== false) return;
  const started = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  endVictim = held.resolve;
  victim = runSkill(
    pools.victim,
    {
      "skill.ts": `export async function go(run) { const kept = ${JSON.stringify(canary)}; await run.call("wait"); return kept.length; }`,
    },
    "go",
    {
      limits: { timeoutMs: 600_000 + allottedMs },
      serve: {
        call: async () => {
          started.resolve();
          await held.promise;
          return null;
        },
      },
    },
  );
  await started.promise;
  const home = readdirSync(folder.path).find((entry) => entry.startsWith("deputy-hosts-"));
  to["victimFolder"] = join(folder.path, home!, "host-1");
  to["victim"] = findHostProcess();
});

after(async () => {
  endVictim();
  for (const pool of Object.values(pools)) await pool[Symbol.asyncDispose]();
  for (const server of servers) server.close();
  udp.close();
  process.off("SIGUSR2", onSignal);
  folder[Symbol.dispose]();
});

/** The victim's process, while it is the only host. */
function findHostProcess(): number {
  const hosts = descendants().filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(`${process.execPath}\0--permission`),
  );
  assert.ok(hosts.length > 0);
  return hosts.at(-1)!;
}

type Language = "TypeScript" | "Python";

interface Attempt {
  readonly language: Language;
  readonly title: string;
  readonly body: string;
}

/** A skill that makes these attempts one after the other and returns what each came to. */
function skillOf(language: Language, bodies: readonly string[]): Record<string, string> {
  return language === "TypeScript" ? typescriptSkill(bodies) : pythonSkill(bodies);
}

const typescriptSkill = (bodies: readonly string[]) => ({
  "skill.ts": `import fs from "node:fs";
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const here = import.meta.dirname;
const connect = (where) => new Promise((done, fail) => require("node:net").connect(where, () => done("reached")).on("error", fail));
const attempts = [
${bodies.map((body) => `async (to) => { ${body} }`).join(",\n")}
];
export async function go({ params: to }) {
  const said = [];
  for (const attempt of attempts) said.push(await attempt(to).catch((error) => ({ error: String(error?.stack ?? error) })));
  return said;
}`,
});

const pythonSkill = (bodies: readonly string[]) => ({
  "skill.py": `
import array, asyncio, ctypes, fcntl, glob, importlib.util, linecache, mmap, os, pathlib, platform, resource, runpy, signal, socket, sqlite3, struct, subprocess, sys, time, urllib.request
here = os.path.dirname(os.path.abspath(__file__))
def sc(x64, arm64, *args):
    libc = ctypes.CDLL(None, use_errno=True)
    wide = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    result = libc.syscall(ctypes.c_long(x64 if platform.machine() == "x86_64" else arm64), *wide)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result
${bodies.map((body, i) => `def attempt_${i}(to):\n    ${body}\n`).join("")}
def go(params):
    said = []
    for attempt in [${bodies.map((_, i) => `attempt_${i}`).join(", ")}]:
        try:
            said.append(attempt(params["params"]))
        except Exception as error:
            said.append({"error": repr(error)})
    return said
`,
});

const attempts: Attempt[] = [
  ...Object.entries(typescriptEscapes).map(
    ([title, body]) => ({ language: "TypeScript", title, body }) as const,
  ),
  ...(noPython === false ? Object.entries(pythonEscapes) : []).map(
    ([title, body]) => ({ language: "Python", title, body }) as const,
  ),
];

/** The long form has a host for each; the short one puts some together, others every time, and asks again one by one if it must. */
const TOGETHER = longForm ? 1 : 6;

function grouped(all: readonly Attempt[], random: () => number): Attempt[][] {
  const groups: Attempt[][] = [];
  for (const language of ["TypeScript", "Python"] as const) {
    const shuffled = all
      .filter((attempt) => attempt.language === language)
      .map((attempt) => ({ attempt, order: random() }))
      .sort((a, b) => a.order - b.order)
      .map(({ attempt }) => attempt);
    for (let i = 0; i < shuffled.length; i += TOGETHER) groups.push(shuffled.slice(i, i + TOGETHER));
  }
  return groups;
}

/** Runs every attempt and says which reached something. */
async function tryOnce(
  pool: ReturnType<typeof hostPool>,
  tried: readonly Attempt[],
  random: () => number,
): Promise<string[]> {
  const reached: string[] = [];
  const tally: Record<string, number> = {};
  const queue = grouped(tried, random);
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [{ language } = attempts[0]!] = next;
      const files = skillOf(
        language,
        next.map(({ body }) => body),
      );
      const run = await runSkill(pool, files, "go", {
        context: { params: to },
        limits: { timeoutMs: 15_000 },
      });
      const { outcome } = run;
      const said = JSON.stringify([outcome, run.logs]);
      const values = outcome.kind === "returned" && Array.isArray(outcome.value) ? outcome.value : [];
      // The marker itself is among the arguments, which an error may quote: what counts is what comes with it.
      if (values.includes("reached") || said.includes(canary)) {
        const titles = next.map(({ title }) => title).join(" or ");
        reached.push(`${language}: ${titles}: ${said.slice(0, 300)}`);
      }
      // One that ended the host kept those after it from being made.
      if (values.length < next.length && next.length > 1) queue.push(...next.map((one) => [one]));
      const kind = outcome.kind === "stopped" ? outcome.why : outcome.kind;
      tally[kind] = (tally[kind] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  console.log(`${tried.length} attempts: ${JSON.stringify(tally)}`);
  return reached;
}

/** Again and again, in another order each time. */
async function tryAll(t: TestContext, pool: ReturnType<typeof hostPool>, tried: readonly Attempt[]) {
  t.diagnostic(`seed ${seed}`);
  const random = seededRandom(seed);
  const rounds = new Rounds({ short: 1, long: 1, share: 1 / 2 });
  for (const _ of rounds) assert.deepEqual(await tryOnce(pool, tried, random), []);
  return rounds.count * tried.length;
}

test("no attempt reaches a file, the vault, the network, another run or the engine", {
  skip: noFullJail,
}, async (t) => {
  assert.ok(attempts.length >= (noPython === false ? 150 : 90), String(attempts.length));
  const files = JSON.stringify(readdirSync(folder.path).sort());
  const made = await tryAll(t, pools.full, attempts);
  assert.deepEqual(connections, []);
  assert.deepEqual(signals, []);
  assert.equal(readFileSync(paths.file, "utf8"), `VALUE=${canary}\n`);
  assert.equal(readFileSync(paths.vault, "latin1"), `SQLite format 3\0${canary}`);
  assert.equal(JSON.stringify(readdirSync(folder.path).sort()), files);
  endVictim();
  assert.equal((await victim)?.value, canary.length);
  did(t, { attempts: made }, { "got out": 0 });
});

test("an attempt that does reach something is noticed", { skip: noFullJail }, async () => {
  const granted = await runSkill(pools.full, typescriptSkill([typescriptEscapes["readFileSync"]!]), "go", {
    context: { params: to },
    paths: [paths.file],
  });
  assert.deepEqual(granted.value, [`VALUE=${canary}\n`]);
});

test("where there is only the permission model, no attempt reads a file, writes one or starts a program", async (t) => {
  // What stays open then is in docs/threat-model.md, and only skills the owner trusts by name run.
  const open = new Set(["descriptors that were left open"]);
  await using pool = hostPool({ jail: await createJail({ env: {} }), size: AT_ONCE });
  const tried = attempts.filter(({ language, title }) => language === "TypeScript" && !open.has(title));
  const made = await tryAll(t, pool, tried);
  assert.deepEqual(signals, []);
  assert.deepEqual(connections, []);
  did(t, { "attempts without a jail": made }, { "got out": 0 });
});
