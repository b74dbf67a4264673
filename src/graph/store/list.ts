import { DeputyError } from "../../kernel/index.ts";
import type { SqlValue } from "../../platform/index.ts";
import type { Listed, ListInput } from "../graph.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { listChanges } from "./list-changes.ts";
import { type Condition, conditionOf, missing } from "./list-filter.ts";
import { showKeys } from "./show-entity.ts";
import type { Store } from "./store.ts";

const MOST = 500;

/** Entities of a shape, those of narrower shapes among them. What has no value to sort by comes last. */
export function list(store: Store, input: ListInput, now: number): Listed {
  if (input.shape === "change") return listChanges(store, input);
  const { shape, where = [], sort = "", cursor } = input;
  const key = store.words.find(shape);
  if (store.book.find(shape) === undefined && key === undefined) {
    throw new DeputyError("NOT_FOUND", `There is no shape ${shape.slice(0, 80)}`, {
      hint: "See what there is: deputy graph list shape",
    });
  }
  const limit = Math.min(Math.max(1, input.limit ?? 50), MOST);
  const base: Condition = {
    sql: `FROM tags t JOIN entities e ON e.key = t.entity WHERE t.shape = ?
      AND e.deleted IS ${input.deleted === true ? "NOT " : ""}NULL`,
    params: [key ?? -1],
  };
  const filtered = and(base, ...where.map((filter) => conditionOf(store, shape, filter, now)));
  const order = orderOf(store, shape, sort);
  const paged = cursor === undefined ? filtered : and(filtered, after(order, readCursor(cursor, order.name)));
  const rows = store.db.all(
    `SELECT e.key AS key, ${order.value} AS place ${paged.sql} ORDER BY ${order.sql} LIMIT ?`,
    ...paged.params,
    limit + 1,
  );
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const absent = where.flatMap(({ field, is }): [string, number][] => {
    if (cursor !== undefined || is === "missing" || is === "linked") return [];
    const known = store.words.find(field);
    return [[field, count(store, known === undefined ? base : and(base, missing(known)))]];
  });
  return {
    entities: showKeys(
      store,
      page.map((row) => Number(row["key"])),
    ),
    next: last === undefined ? null : writeCursor(order.name, [toPlace(last["place"] ?? null), last["key"]]),
    total:
      cursor !== undefined ? null : where.length > 0 ? count(store, filtered) : countAll(store, input, key),
    absent: Object.fromEntries(absent),
  };
}

interface Order {
  readonly name: string;
  /** What is sorted by; null for the key alone. */
  readonly value: string;
  readonly sql: string;
  readonly down: boolean;
}

function orderOf(store: Store, shape: string, sort: string): Order {
  const down = sort.startsWith("-");
  const field = down ? sort.slice(1) : sort;
  const name = `${shape} ${sort}`;
  if (field === "") return { name, value: "NULL", sql: "e.key DESC", down: true };
  const declared = store.book.fieldsOf(shape).has(field);
  const value =
    !declared && (field === "created" || field === "updated") ? `e.${field}` : fieldValue(store, field);
  const way = down ? "DESC" : "ASC";
  return { name, value, sql: `place IS NULL, place COLLATE NOCASE ${way}, e.key DESC`, down };
}

/** A long text is sorted by its beginning: it has to fit into a cursor. */
function fieldValue(store: Store, field: string): string {
  const key = store.words.find(field);
  return key === undefined
    ? "NULL"
    : `(SELECT CASE WHEN typeof(v.value) IN ('text', 'blob') THEN substr(v.value, 1, 100) ELSE v.value END
        FROM entity_values v WHERE v.entity = e.key AND v.field = ${key})`;
}

function after({ value, down }: Order, [given, keyGiven]: readonly unknown[]): Condition {
  const place = fromPlace(given);
  const key = Number(keyGiven);
  if (place === null) return { sql: `${value} IS NULL AND e.key < ?`, params: [key] };
  const beyond = down ? "<" : ">";
  return {
    sql: `(${value} IS NULL OR ${value} COLLATE NOCASE ${beyond} ?
      OR (${value} COLLATE NOCASE = ? AND e.key < ?))`,
    params: [place, place, key],
  };
}

function toPlace(value: SqlValue): unknown {
  return value instanceof Uint8Array ? [Buffer.from(value).toString("base64url")] : value;
}

function fromPlace(given: unknown): SqlValue {
  if (Array.isArray(given)) return Buffer.from(String(given[0]), "base64url");
  return typeof given === "string" || typeof given === "number" ? given : null;
}

function and(first: Condition, ...rest: readonly Condition[]): Condition {
  const all = [first, ...rest];
  return {
    sql: all.map(({ sql }, at) => (at === 0 ? sql : `(${sql})`)).join(" AND "),
    params: all.flatMap(({ params }) => params),
  };
}

function count(store: Store, { sql, params }: Condition): number {
  return Number(store.db.get(`SELECT count(*) AS n ${sql}`, ...params)?.["n"]);
}

/** Without filters the entities themselves need not be looked at. */
function countAll(store: Store, { deleted }: ListInput, shape = -1): number {
  const all = "SELECT count(*) AS n FROM tags WHERE shape = ?";
  const gone = `SELECT count(*) AS n FROM entities e JOIN tags t ON t.entity = e.key AND t.shape = ?
    WHERE e.deleted IS NOT NULL`;
  const without = Number(store.db.get(gone, shape)?.["n"]);
  return deleted === true ? without : Number(store.db.get(all, shape)?.["n"]) - without;
}
