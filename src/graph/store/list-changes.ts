import { DeputyError } from "../../kernel/index.ts";
import type { SqlValue } from "../../platform/index.ts";
import type { Filter, GraphEntity, Listed, ListInput } from "../graph.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { getRow, isoTime } from "./show-entity.ts";
import type { Store } from "./store.ts";

const MOST = 500;
const COMPARED = { eq: "=", ne: "<>", lt: "<", le: "<=", gt: ">", ge: ">=" } as const;

/** Changes are entities, kept more closely than others: the newest first, found by who, when, what and how. */
export function listChanges(store: Store, input: ListInput): Listed {
  const limit = Math.min(Math.max(1, input.limit ?? 50), MOST);
  const conditions = (input.where ?? []).map((filter) => conditionOf(store, filter));
  const from = `FROM changes c JOIN entities e ON e.key = c.target JOIN origins o ON o.key = c.origin
    WHERE ${["1", ...conditions.map(({ sql }) => sql)].join(" AND ")}`;
  const params = conditions.map(({ param }) => param);
  const before = input.cursor === undefined ? 2 ** 52 : Number(readCursor(input.cursor, "change")[0]);
  const rows = store.db.all(
    `SELECT c.key, e.id, c.n, c.at, c.action, o.agent, o.skill ${from} AND c.key < ? ORDER BY c.key DESC LIMIT ?`,
    ...params,
    before,
    limit + 1,
  );
  const page = rows.slice(0, limit);
  const total =
    input.cursor === undefined
      ? Number(store.db.get(`SELECT count(*) AS n ${from}`, ...params)?.["n"])
      : null;
  return {
    entities: page.map((row): GraphEntity => {
      const at = isoTime(Number(row["at"]));
      const id = `${String(row["id"])}.${String(row["n"])}`;
      const skill = typeof row["skill"] === "string" ? { skill: row["skill"] } : {};
      const values = { action: row["action"], at, author: row["agent"], target: row["id"], ...skill };
      return { id, shape: "change", also: [], values, created: at, updated: at, deleted: null };
    }),
    next: rows.length > limit ? writeCursor("change", [page.at(-1)?.["key"]]) : null,
    total,
    absent: {},
  };
}

function conditionOf(store: Store, { field, is, value }: Filter): { sql: string; param: SqlValue } {
  if (is === "linked" && (field === "target" || field === "*"))
    return { sql: "c.target = ?", param: getRow(store, String(value)).key };
  const column = { action: "c.action", author: "o.agent", skill: "o.skill", at: "c.at" }[field];
  if (column === undefined || !Object.hasOwn(COMPARED, is)) {
    throw new DeputyError("BAD_INPUT", "Changes are found by action, at, author, skill and target", {
      hint: "For example: deputy graph list change --where action=delete",
    });
  }
  const param = field === "at" ? Date.parse(String(value)) : String(value);
  if (Number.isNaN(param))
    throw new DeputyError("BAD_INPUT", "That is no time", { hint: "It looks like 2026-11-20T10:00:00Z." });
  return { sql: `${column} ${COMPARED[is as keyof typeof COMPARED]} ?`, param };
}
