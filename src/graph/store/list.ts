import type { SqlValue } from "../../platform/index.ts";
import type { Listed, ListInput } from "../graph.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { listChanges } from "./list-changes.ts";
import { type Condition, conditionOf, missing } from "./list-filter.ts";
import { findShape } from "./shape-tags.ts";
import { showKeys } from "./show-entity.ts";
import type { Store } from "./store.ts";

const MOST = 500;

/** Entities of a shape, those of narrower shapes among them. What has no value to sort by comes last. */
export function list(store: Store, input: ListInput, now: number): Listed {
  if (input.shape === "change") return listChanges(store, input);
  const { shape, where = [], sort = "", cursor } = input;
  const key = findShape(store, shape);
  const limit = Math.min(Math.max(1, input.limit ?? 50), MOST);
  const base: Condition = {
    sql: `FROM tags t JOIN entities e ON e.key = t.entity WHERE t.shape = ?
      AND e.deleted IS ${input.deleted === true ? "NOT " : ""}NULL`,
    params: [key ?? -1],
  };
  const filters = where.map((filter) => conditionOf(store, shape, filter, now));
  const filtered = and(base, ...filters);
  const order = orderOf(store, shape, sort);
  const paged = cursor === undefined ? filtered : and(filtered, after(order, readCursor(cursor, order.name)));
  const rows = store.db.all(
    `SELECT e.key AS key, ${order.value} AS place ${paged.sql} ORDER BY ${order.sql} LIMIT ?`,
    ...paged.params,
    limit + 1,
  );
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    entities: showKeys(
      store,
      page.map((row) => Number(row["key"])),
    ),
    next: last === undefined ? null : writeCursor(order.name, [toPlace(last["place"] ?? null), last["key"]]),
    ...(cursor === undefined ? countFirst(store, input, base, filters) : { total: null, absent: {} }),
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
  if (field === "") return { name, value: "NULL", sql: "t.entity DESC", down: true };
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

function and(...all: readonly Condition[]): Condition {
  return {
    sql: all.map(({ sql }) => (sql.startsWith("FROM") ? sql : `(${sql})`)).join(" AND "),
    params: all.flatMap(({ params }) => params),
  };
}

/** How many there are, and of each compared field how many say nothing about it: all counted in one go. */
function countFirst(
  store: Store,
  input: ListInput,
  base: Condition,
  filters: readonly Condition[],
): Pick<Listed, "total" | "absent"> {
  const where = input.where ?? [];
  if (where.length === 0) return { total: countAll(store, input), absent: {} };
  const compared = where.filter(({ is }) => is !== "missing" && is !== "linked").map(({ field }) => field);
  const silent = compared.map((field): Condition => {
    const key = store.words.find(field);
    return key === undefined ? { sql: "1", params: [] } : missing(key);
  });
  const sums = [and(...filters), ...silent].map(({ sql }, at) => `sum(${sql}) AS n${at}`);
  const params = [...filters, ...silent, base].flatMap((condition) => condition.params);
  const row = store.db.get(`SELECT ${sums.join(", ")} ${base.sql}`, ...params);
  return {
    total: Number(row?.["n0"] ?? 0),
    absent: Object.fromEntries(compared.map((field, at) => [field, Number(row?.[`n${at + 1}`] ?? 0)])),
  };
}

/** Without filters the entities themselves need not be looked at. */
function countAll(store: Store, { shape, deleted }: ListInput): number {
  const key = store.words.find(shape) ?? -1;
  const gone = store.db.get(
    `SELECT count(*) AS n FROM entities e WHERE e.deleted IS NOT NULL
      AND EXISTS (SELECT 1 FROM tags t WHERE t.shape = ? AND t.entity = e.key)`,
    key,
  );
  const all = store.db.get("SELECT count(*) AS n FROM tags WHERE shape = ?", key);
  return deleted === true ? Number(gone?.["n"]) : Number(all?.["n"]) - Number(gone?.["n"]);
}
