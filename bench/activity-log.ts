/**
 * What a row of the activity log costs a call, beside a bare insert of the same row into an SQLite file, both outliving
 * the process and neither waiting for the disk; one call after the other, and fifty that end together. Also how long
 * doctor's walk along the chain takes. Target: a row costs a call at most 1 ms.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ActivityLog } from "../src/access/index.ts";
import { createLogSeal } from "../src/engine/log/log-seal.ts";
import { Secret } from "../src/kernel/index.ts";
import { Vault } from "../src/vault/index.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { inTurns, timed } from "./support/in-turns.ts";
import { report } from "./support/report.ts";

const ROUNDS = 60;
const TOGETHER = 50;

using folder = temporaryFolder("bench");
const kek = Secret.fromBytes(Buffer.alloc(32, 1));
const path = join(folder.path, "vault.db");
Vault.create(path, { provider: "file", params: {} }, kek);
const clock = { now: () => Date.now() };
using vault = Vault.open({ path, kek, clock });
const seal = createLogSeal(vault);
await using log = new ActivityLog({ path: join(folder.path, "activity.db"), clock, seal: async () => seal });

using bare = new DatabaseSync(join(folder.path, "bare.db"));
bare.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
  CREATE TABLE entries (id INTEGER PRIMARY KEY, at INTEGER, who TEXT, what TEXT, hosts TEXT, hash BLOB) STRICT`);
const insert = bare.prepare("INSERT INTO entries (at, who, what, hosts, hash) VALUES (?, ?, ?, ?, ?)");
const hash = Buffer.alloc(32);

const caller = { kind: "agent", agent: "cursor", instance: "instance_1", via: "mcp" } as const;
const identity = { domain: "exa.ai", account: "joe@example.org" };

async function logged(): Promise<void> {
  const entry = log.begin({ caller, subject: "exa", operation: "search", identity });
  entry.contact("api.exa.ai", "POST");
  entry.answered(200);
  entry.received(4096);
  await entry.end("ok");
}
const bareRow = () =>
  insert.run(Date.now(), "agent cursor instance_1 mcp", "exa search", "api.exa.ai POST 200", hash);

const beside = { what: "a bare insert", samples: [] as number[] };
const [single, together]: [number[], number[]] = [[], []];
for (let round = 0; round < ROUNDS; round++) {
  const times = await inTurns({ logged, bareRow }, { rounds: TOGETHER });
  single.push(...times.logged);
  beside.samples.push(...times.bareRow);
  together.push((await timed(() => Promise.all(Array.from({ length: TOGETHER }, logged)))) / TOGETHER);
}
report({
  what: "a row, before its call is answered",
  unit: "ms",
  ours: single,
  beside,
  target: { kind: "at most", value: 1 },
});
report({ what: `a row of ${TOGETHER} that end together`, unit: "ms", ours: together, beside });

let rows = 0;
const walked = await timed(async () => void ({ rows } = await log.verify()));
report({ what: "doctor's walk along the chain, a row", unit: "µs", ours: (walked * 1000) / rows });
