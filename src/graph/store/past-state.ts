import type { PastState } from "../graph.ts";
import type { Diff, PastLink, PastValue } from "./changes.ts";
import { type EntityRow, findRow, readLinks, readValues } from "./rows.ts";
import type { Store } from "./store.ts";
import { decode } from "./stored-value.ts";

/** An entity on its way back in time. */
export interface Rewind {
  exists: boolean;
  shape: number;
  extra: string | null;
  deleted: number | null;
  readonly values: Map<number, PastValue>;
  readonly links: Map<string, PastLink>;
}

export interface ChangeRow {
  readonly n: number;
  readonly at: number;
  readonly action: string;
  readonly origin: number;
  readonly diff: Diff | null;
}

export function startRewind(store: Store, row: EntityRow): Rewind {
  const values = [...readValues(store, row.key)].map(
    ([field, { value, origin, at }]) => [field, [decode(value), origin, at] as const] as const,
  );
  const links = readLinks(store, row.key).map(
    ({ label, target, origin, at }) =>
      [linkName(label, target), [label, target, origin, at] as const] as const,
  );
  const { shape, extra, deleted } = row;
  return { exists: true, shape, extra, deleted, values: new Map(values), links: new Map(links) };
}

/** What was before a change, from what was after it. */
export function undo(state: Rewind, { diff }: ChangeRow): void {
  if (diff === null) {
    state.exists = false;
    state.values.clear();
    state.links.clear();
    return;
  }
  for (const [field, past] of Object.entries(diff.f ?? {})) {
    if (past === 0) state.values.delete(Number(field));
    else state.values.set(Number(field), past);
  }
  for (const [label, target] of diff.a ?? []) state.links.delete(linkName(label, target));
  for (const link of diff.r ?? []) state.links.set(linkName(link[0], link[1]), link);
  if (diff.s !== undefined) [state.shape, state.extra] = diff.s;
  if (diff.d !== undefined) state.deleted = diff.d;
}

/** The latest first. */
export function* changesOf(store: Store, entity: number): Generator<ChangeRow> {
  const sql = "SELECT n, at, action, origin, diff FROM changes WHERE target = ? ORDER BY n DESC";
  for (const row of store.db.iterate(sql, entity)) {
    yield {
      n: Number(row["n"]),
      at: Number(row["at"]),
      action: String(row["action"]),
      origin: Number(row["origin"]),
      diff: typeof row["diff"] === "string" ? (JSON.parse(row["diff"]) as Diff) : null,
    };
  }
}

/** Null where it did not exist yet. One that became a part of another has a past of its own. */
export function stateAt(store: Store, row: EntityRow, time: number): PastState | null {
  const state = startRewind(store, row);
  for (const change of changesOf(store, row.key)) {
    if (change.at <= time) break;
    undo(state, change);
  }
  if (!state.exists) return null;
  const into = becameBy(store, row, time);
  return {
    id: row.id,
    shape: store.words.word(state.shape),
    values: Object.fromEntries([...state.values].map(([field, past]) => [store.words.word(field), past[0]])),
    links: showLinks(store, state, time),
    deleted: state.deleted !== null,
    merged_into: into.key === row.key ? null : into.id,
  };
}

/** A target that had become a part of another by then is told as that. */
function showLinks(store: Store, state: Rewind, time: number): { label: string; id: string }[] {
  const links = [...state.links.values()].map(([label, target]) => {
    const row = findRow(store, target);
    return { label: store.words.word(label), id: row === undefined ? "" : becameBy(store, row, time).id };
  });
  const named = new Map(links.map((link) => [`${link.label} ${link.id}`, link]));
  return [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, link]) => link);
}

/** What an entity had become a part of by a time, or itself: `merged_into` tells only what it is a part of now. */
function becameBy(store: Store, row: EntityRow, time: number): EntityRow {
  if (row.mergedInto === null) return row;
  // Nothing happens to an entity after it was merged.
  const [last] = changesOf(store, row.key).take(1);
  if (last === undefined || last.at > time) return row;
  const into = findRow(store, last.diff?.m ?? row.mergedInto);
  return into === undefined ? row : becameBy(store, into, time);
}

function linkName(label: number, target: number): string {
  return `${label} ${target}`;
}
