/**
 * What a row of the activity log costs a call, beside a bare insert of the same row into an SQLite file, both outliving
 * the process and neither waiting for the disk; one call after the other, and fifty that end together. Also how long
 * doctor's walk along the chain takes. Target: a row costs a call at most 1 ms.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ActivityLog } from "../src/access/index.ts";
import { createLogSeal } from "../src/engine/log/log-seal.ts";
import { Secret } from "../src/kernel/index.ts";
import { Vault } from "../src/vault/index.ts";

const ROWS = 3000;
const TOGETHER = 50;
const TARGET_MS = 1;

const folder = mkdtempSync(join(tmpdir(), "deputy-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const kek = Secret.fromBytes(Buffer.alloc(32, 1));
const path = join(folder, "vault.db");
Vault.create(path, { provider: "file", params: {} }, kek);
const clock = { now: () => Date.now() };
const seal = createLogSeal(Vault.open({ path, kek, clock }));
await using log = new ActivityLog({ path: join(folder, "activity.db"), clock, seal: async () => seal });

const bare = new DatabaseSync(join(folder, "bare.db"));
bare.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
  CREATE TABLE entries (id INTEGER PRIMARY KEY, at INTEGER, who TEXT, what TEXT, hosts TEXT, hash BLOB) STRICT`);
const insert = bare.prepare("INSERT INTO entries (at, who, what, hosts, hash) VALUES (?, ?, ?, ?, ?)");

const caller = { kind: "agent", agent: "cursor", instance: "instance_1", via: "mcp" } as const;
const identity = { domain: "exa.ai", account: "joe@example.org" };

async function logged(): Promise<void> {
  const entry = log.begin({ caller, subject: "exa", operation: "search", identity });
  entry.contact("api.exa.ai", "POST");
  entry.answered(200);
  entry.received(4096);
  await entry.end("ok");
}

const times: Record<"row" | "bare" | "together", number[]> = { row: [], bare: [], together: [] };
const timed = async (name: keyof typeof times, work: () => unknown, per = 1) => {
  const started = performance.now();
  await work();
  times[name].push((performance.now() - started) / per);
};
const hash = Buffer.alloc(32);
for (let i = 0; i < ROWS; i++) {
  await timed("row", logged);
  await timed("bare", () =>
    insert.run(Date.now(), "agent cursor instance_1 mcp", "exa search", "api.exa.ai POST 200", hash),
  );
  if (i % TOGETHER === 0)
    await timed("together", () => Promise.all(Array.from({ length: TOGETHER }, logged)), TOGETHER);
}

const started = performance.now();
const { rows } = await log.verify();
const walked = performance.now() - started;
const p50 = (name: keyof typeof times) =>
  times[name].toSorted((a, b) => a - b)[Math.floor(times[name].length / 2)] ?? 0;

console.log(`a row, before its call is answered  p50 ${p50("row").toFixed(3)} ms (target ${TARGET_MS})`);
console.log(
  `a bare insert of as much            p50 ${p50("bare").toFixed(3)} ms, ratio ${(p50("row") / p50("bare")).toFixed(1)}`,
);
console.log(`a row of ${TOGETHER} that end together      p50 ${p50("together").toFixed(3)} ms`);
console.log(
  `doctor's walk along the chain       ${((walked * 1000) / rows).toFixed(1)} µs a row, ${rows} rows`,
);
process.exitCode = p50("row") <= TARGET_MS ? 0 : 1;
