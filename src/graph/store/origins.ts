import type { Source } from "../graph.ts";
import { findHolder } from "./find-entity.ts";
import { identityKeys } from "./identity-keys.ts";
import { resolveKey } from "./rows.ts";
import type { By, Store } from "./store.ts";
import { upsert } from "./upsert.ts";

/** Deputy itself. */
const SYSTEM: Source = { agent: "deputy" };
const OWNER_AGENT = "owner";

export function systemWriter(store: Store, at: number): By {
  return { origin: findOrigin(store, SYSTEM) ?? insertOrigin(store, SYSTEM, null, null), skill: "", at };
}

/** Who writes, as a row. Agents and skills that are met for the first time become entities. */
export function writerOf(store: Store, source: Source, at: number): By {
  const skill = source.skill ?? "";
  const found = findOrigin(store, source);
  if (found !== undefined) return { origin: found, skill, at };
  const system = systemWriter(store, at);
  const actor =
    source.agent === OWNER_AGENT
      ? ownerOf(store, at)
      : upsertOne(store, system, "agent", { name: source.agent, first_seen: new Date(at).toISOString() });
  const from = skill === "" ? null : skillEntity(store, system, skill);
  return { origin: insertOrigin(store, source, actor, from), skill, at };
}

/** One that nobody has described yet is called by its id. */
function skillEntity(store: Store, by: By, id: string): number {
  const known = identityKeys(store.book, "skill", { id }, "").some(
    ({ key }) => findHolder(store, key) !== undefined,
  );
  return upsertOne(store, by, "skill", known ? { id } : { id, name: id });
}

/** The person all of this belongs to. */
export function ownerOf(store: Store, at: number): number {
  const found = store.db.get("SELECT value FROM meta WHERE key = 'owner'")?.["value"];
  if (typeof found === "number") return resolveKey(store, found);
  const owner = upsertOne(store, systemWriter(store, at), "person", { name: "Owner" });
  store.db.run("INSERT INTO meta (key, value) VALUES ('owner', ?)", owner);
  return owner;
}

export function sourceOf(
  store: Store,
  origin: number,
): Source & { actor: number | null; from: number | null } {
  const row = store.db.get("SELECT * FROM origins WHERE key = ?", origin);
  const text = (name: string) => (typeof row?.[name] === "string" ? { [name]: row[name] } : {});
  const number = (name: string) => (typeof row?.[name] === "number" ? row[name] : null);
  const domain = row?.["domain"];
  const identifier = row?.["identifier"];
  return {
    agent: String(row?.["agent"] ?? ""),
    ...text("skill"),
    ...text("operation"),
    ...(typeof domain === "string" && typeof identifier === "string"
      ? { identity: { domain, identifier } }
      : {}),
    actor: number("actor"),
    from: number("source"),
  };
}

function upsertOne(store: Store, by: By, shape: string, value: Record<string, unknown>): number {
  const [key] = upsert(store, [{ shape, value, links: [] }], by).keys;
  if (key === undefined) throw new TypeError(`No ${shape} was made`);
  return key;
}

function findOrigin(store: Store, source: Source): number | undefined {
  const name = JSON.stringify(partsOf(source));
  const kept = store.origins.get(name);
  if (kept !== undefined) return kept;
  const row = store.db.get(
    `SELECT key FROM origins WHERE agent = ? AND coalesce(skill, '') = ? AND coalesce(operation, '') = ?
      AND coalesce(domain, '') = ? AND coalesce(identifier, '') = ?`,
    ...partsOf(source).map((part) => part ?? ""),
  );
  if (typeof row?.["key"] !== "number") return undefined;
  if (store.origins.size > 10_000) store.origins.clear();
  store.origins.set(name, row["key"]);
  return row["key"];
}

function insertOrigin(store: Store, source: Source, actor: number | null, from: number | null): number {
  const row = store.db.get(
    `INSERT INTO origins (agent, skill, operation, domain, identifier, actor, source)
      VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING key`,
    ...partsOf(source),
    actor,
    from,
  );
  return Number(row?.["key"]);
}

function partsOf({ agent, skill, operation, identity }: Source): (string | null)[] {
  return [agent, skill ?? null, operation ?? null, identity?.domain ?? null, identity?.identifier ?? null];
}
