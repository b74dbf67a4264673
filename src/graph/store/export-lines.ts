import type { SqlRow } from "../../platform/index.ts";
import type { Diff } from "./changes.ts";
import { sourceOf } from "./origins.ts";
import { type PortableDiff, portableFormat, type PortableLine } from "./portable.ts";
import { findRow, readLinks, readValues } from "./rows.ts";
import type { Store } from "./store.ts";
import { decode } from "./stored-value.ts";

/** Everything there is, in an order in which each line only refers to what came before it. */
export function* exportLines(store: Store, now: number): Generator<PortableLine> {
  const { db, words } = store;
  yield { "deputy-graph": portableFormat, exported: new Date(now).toISOString() };
  for (const { key } of db.all("SELECT key FROM origins ORDER BY key")) {
    const { actor: _actor, from: _from, ...source } = sourceOf(store, Number(key));
    yield { origin: { key: Number(key), ...source } };
  }
  const identities = identitiesByEntity(store);
  for (const { key } of db.iterate("SELECT key FROM entities ORDER BY key")) {
    const row = findRow(store, Number(key));
    if (row === undefined) continue;
    const values = [...readValues(store, row.key)].map(([field, { value, origin, at }]) => {
      return [words.word(field), [decode(value), origin, at]] as const;
    });
    yield {
      entity: {
        id: row.id,
        shape: words.word(row.shape),
        ...(row.extra === null ? {} : { extra: JSON.parse(row.extra) as string[] }),
        created: row.created,
        updated: row.updated,
        ...(row.deleted === null ? {} : { deleted: row.deleted }),
        ...(row.mergedInto === null ? {} : { merged_into: idOf(store, row.mergedInto) }),
        changes: row.changes,
        values: Object.fromEntries(values) as Record<string, [never, number, number]>,
        ...(identities.has(row.key) ? { identities: identities.get(row.key) ?? [] } : {}),
      },
    };
  }
  for (const { source } of db.iterate("SELECT DISTINCT source FROM links ORDER BY source")) {
    const out = readLinks(store, Number(source)).map(({ label, target, origin, at }) => {
      return [words.word(label), idOf(store, target), origin, at] as [string, string, number, number];
    });
    yield { links: { id: idOf(store, Number(source)), out } };
  }
  for (const row of db.iterate("SELECT * FROM changes ORDER BY key")) yield { change: changeOf(store, row) };
}

function changeOf(store: Store, row: SqlRow): Extract<PortableLine, { change: unknown }>["change"] {
  return {
    target: idOf(store, Number(row["target"])),
    n: Number(row["n"]),
    at: Number(row["at"]),
    action: String(row["action"]) as "create",
    origin: Number(row["origin"]),
    diff: typeof row["diff"] === "string" ? portableDiff(store, JSON.parse(row["diff"]) as Diff) : null,
  };
}

function portableDiff(store: Store, { f, a, r, s, d, m }: Diff): PortableDiff {
  const { words } = store;
  const fields = Object.entries(f ?? {}).map(([field, past]) => [words.word(Number(field)), past] as const);
  return {
    ...(f === undefined ? {} : { f: Object.fromEntries(fields) as Record<string, 0> }),
    ...(a === undefined ? {} : { a: a.map(([label, to]) => [words.word(label), idOf(store, to)]) }),
    ...(r === undefined
      ? {}
      : { r: r.map(([label, to, origin, at]) => [words.word(label), idOf(store, to), origin, at]) }),
    ...(s === undefined
      ? {}
      : { s: [words.word(s[0]), s[1] === null ? null : (JSON.parse(s[1]) as string[])] }),
    ...(d === undefined ? {} : { d }),
    ...(m === undefined ? {} : { m: idOf(store, m) }),
  };
}

function idOf(store: Store, key: number): string {
  return String(store.db.get("SELECT id FROM entities WHERE key = ?", key)?.["id"] ?? "");
}

function identitiesByEntity(store: Store): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const { identity, entity } of store.db.iterate("SELECT identity, entity FROM identities")) {
    const of = found.get(Number(entity)) ?? [];
    of.push(String(identity));
    found.set(Number(entity), of);
  }
  return found;
}
