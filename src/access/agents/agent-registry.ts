import type { Caller } from "../../kernel/index.ts";
import type { Database, SqlRow } from "../../platform/index.ts";

/** Somebody who has called: an MCP client, a coding agent at the command line, the owner. */
export interface Agent {
  readonly name: string;
  readonly kind: Caller["kind"];
  readonly version: string | null;
  /** How it called last. */
  readonly via: Caller["via"];
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** Connections so far. */
  readonly instances: number;
}

/** Instances that are told apart: a caller has long gone when so many others have come since. */
const REMEMBERED = 4096;

const UPSERT = `
  INSERT INTO agents (kind, name, version, via, first_seen, last_seen, instances) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (kind, name) DO UPDATE SET version = ifnull(excluded.version, version), via = excluded.via,
    last_seen = max(last_seen, excluded.last_seen), instances = instances + excluded.instances`;

/** Who has called so far. Kept in memory until there is something else to write. */
export class AgentRegistry {
  readonly #instances = new Set<string>();
  readonly #unsaved = new Map<string, Agent>();

  get isSaved(): boolean {
    return this.#unsaved.size === 0;
  }

  seen({ kind, agent: name, version, via, instance }: Caller, now: number): void {
    const isNew = !this.#instances.has(instance);
    if (isNew) this.#remember(instance);
    const key = JSON.stringify([kind, name]);
    const known = this.#unsaved.get(key);
    const instances = (known?.instances ?? 0) + (isNew ? 1 : 0);
    const firstSeen = known?.firstSeen ?? now;
    this.#unsaved.set(key, {
      name,
      kind,
      version: version ?? null,
      via,
      firstSeen,
      lastSeen: now,
      instances,
    });
  }

  /** Inside a transaction, or as one statement each. */
  save(db: Database): void {
    for (const { kind, name, version, via, firstSeen, lastSeen, instances } of this.#unsaved.values())
      db.run(UPSERT, kind, name, version, via, firstSeen, lastSeen, instances);
    this.#unsaved.clear();
  }

  /** Those that were seen last come first. */
  static list(db: Database): Agent[] {
    return db.all("SELECT * FROM agents ORDER BY last_seen DESC").map(asAgent);
  }

  #remember(instance: string): void {
    this.#instances.add(instance);
    const [oldest] = this.#instances;
    if (this.#instances.size > REMEMBERED && oldest !== undefined) this.#instances.delete(oldest);
  }
}

function asAgent(row: SqlRow): Agent {
  return {
    name: String(row["name"]),
    kind: row["kind"] === "owner" ? "owner" : "agent",
    version: row["version"] == null ? null : String(row["version"]),
    via: String(row["via"]) as Caller["via"],
    firstSeen: Number(row["first_seen"]),
    lastSeen: Number(row["last_seen"]),
    instances: Number(row["instances"]),
  };
}
