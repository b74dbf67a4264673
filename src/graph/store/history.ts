import { DeputyError } from "../../kernel/index.ts";
import type { Change, ChangeAction, EntityDetails, LinkedEntity } from "../graph.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { nameOfKey } from "./name-of-key.ts";
import { sourceOf } from "./origins.ts";
import { type ChangeRow, changesOf, type Rewind, startRewind, undo } from "./past-state.ts";
import { type EntityRow, findById, findOwn, findRow } from "./rows.ts";
import { getRow, isoTime } from "./show-entity.ts";
import type { Store } from "./store.ts";

const MOST = 500;

/** What happened to an entity, the latest first; of what became a part of it too, after its own. */
export function historyOf(
  store: Store,
  id: string,
  limit: number,
  cursor: string | undefined,
): { changes: Change[]; next: string | null } {
  const row = getRow(store, id);
  const parts = store.db.all("SELECT key FROM entities WHERE merged_into = ? ORDER BY key", row.key);
  const all = [row, ...parts.flatMap((part) => findRow(store, Number(part["key"])) ?? [])];
  const [before, n] = cursor === undefined ? [] : readCursor(cursor, `history ${row.key}`);
  const count = Math.min(Math.max(1, limit), MOST);
  const changes: Change[] = [];
  const from = cursor === undefined ? 0 : all.findIndex((one) => one.key === before);
  let last: unknown[] = [];
  for (const one of all.slice(Math.max(0, from))) {
    for (const { change, number } of walk(store, one)) {
      if (one.key === before && number >= Number(n)) continue;
      if (changes.length === count) return { changes, next: writeCursor(`history ${row.key}`, last) };
      changes.push(change);
      last = [one.key, number];
    }
  }
  return { changes, next: null };
}

function* walk(store: Store, row: EntityRow): Generator<{ change: Change; number: number }> {
  const state = startRewind(store, row);
  for (const change of changesOf(store, row.key)) {
    const { after, targets } = remembered(state, change);
    undo(state, change);
    yield { change: showChange(store, row, change, { state, after, targets }), number: change.n };
  }
}

/** What a change is about to take away from the state. */
function remembered(state: Rewind, { diff }: ChangeRow) {
  const fields = diff === null ? [...state.values.keys()] : Object.keys(diff.f ?? {}).map(Number);
  const after = new Map(fields.map((field) => [field, state.values.get(field)?.[0]]));
  const targets =
    diff === null
      ? [...state.links.values()].map(([label, target]) => [label, target] as const)
      : (diff.a ?? []);
  return { after, targets };
}

function showChange(
  store: Store,
  row: EntityRow,
  change: ChangeRow,
  { state, after, targets }: { state: Rewind } & ReturnType<typeof remembered>,
): Change {
  const { actor, from, ...by } = sourceOf(store, change.origin);
  const fields = [...after].map(([field, value]) => {
    const before = state.values.get(field);
    return [
      store.words.word(field),
      {
        ...(before === undefined ? {} : { before: before[0] }),
        ...(value === undefined ? {} : { after: value }),
      },
    ] as const;
  });
  const link = ([label, target]: readonly [number, number, ...unknown[]]) => ({
    label: store.words.word(label),
    id: findRow(store, target)?.id ?? "",
  });
  return {
    id: `${row.id}.${change.n}`,
    action: change.action as ChangeAction,
    at: isoTime(change.at),
    target: row.id,
    by,
    actor: actor === null ? null : (findRow(store, actor)?.id ?? null),
    source: from === null ? null : (findRow(store, from)?.id ?? null),
    fields: Object.fromEntries(fields),
    added: targets.map(link),
    removed: (change.diff?.r ?? []).map(link),
  };
}

/** A change as the entity it is: linked to who made it, to what it was made to, and to where it came from. */
export function showChangeEntity(store: Store, id: string, n: number): EntityDetails {
  const row = findOwn(store, id);
  const change = row && [...walk(store, row)].find(({ number }) => number === n)?.change;
  if (row === undefined || change === undefined)
    throw new DeputyError("NOT_FOUND", "There is no change with that id", {
      hint: `See what there is: deputy graph history ${id}`,
    });
  const linkTo = (label: string, to: string | null): LinkedEntity[] => {
    const target = to === null ? undefined : findById(store, to);
    if (target === undefined) return [];
    const shape = store.words.word(target.shape);
    return [{ label, id: target.id, shape, name: nameOfKey(store, target.key, shape) }];
  };
  const side = (which: "before" | "after") => {
    const has = Object.entries(change.fields).filter(([, field]) => Object.hasOwn(field, which));
    return Object.fromEntries(has.map(([name, field]) => [name, field[which]]));
  };
  const { action, at, by } = change;
  const name = `${action} ${nameOfKey(store, row.key, store.words.word(row.shape))}`;
  return {
    id: change.id,
    shape: "change",
    also: [],
    values: { name, action, at, author: by.agent, before: side("before"), after: side("after") },
    created: at,
    updated: at,
    deleted: null,
    sources: {},
    links: [
      ...linkTo("target", change.target),
      ...linkTo("actor", change.actor),
      ...linkTo("source", change.source),
    ],
    linked_from: [],
    more_links: 0,
  };
}
