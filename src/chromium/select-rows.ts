import type { AskableDatabase, SqlValue } from "../platform/index.ts";
import { byField, type Field, selectList } from "./schema.ts";

/** Which rows: of exactly these host keys, or of a domain and all below it. All rows where both are absent. */
export interface RowFilter {
  readonly hostKeys?: readonly string[];
  readonly under?: string;
}

/** What one row holds, not yet believed. */
export type Row = Record<Field, SqlValue>;

interface SelectedRows {
  readonly version: number;
  readonly rows: readonly Row[];
  /** There were more rows than any browser keeps; the rest was left unread. */
  readonly truncated: boolean;
}

/** Chromium itself keeps at most 3,300 (net/cookies/cookie_monster.h, kMaxCookies). */
export const MOST_ROWS = 20_000;

/** The rows in the order they were created, or undefined where it is no cookie store. */
export function selectRows(db: AskableDatabase, filter: RowFilter = {}): SelectedRows | undefined {
  const list = selectList(db.columns("cookies") ?? []);
  if (list === undefined) return undefined;
  const [where, params] = condition(db, filter);
  const rows = db.all(`SELECT ${list} FROM ${where} LIMIT ${MOST_ROWS + 1}`, ...params).map(byField);
  const truncated = rows.length > MOST_ROWS;
  if (truncated) rows.pop();
  return { version: versionOf(db), rows: rows.sort(byCreation), truncated };
}

/** Zero where the store does not say. */
export function versionOf(db: AskableDatabase): number {
  if (db.columns("meta") === undefined) return 0;
  const [row] = db.all("SELECT value FROM meta WHERE key = 'version' LIMIT 1");
  const version = Number(row?.[0]);
  return Number.isSafeInteger(version) ? version : 0;
}

/**
 * A damaged or hostile tree can hold endless rows, so that a scan must be bounded before it filters. Only a
 * search by index needs no bound: it sees what it returns.
 */
function condition(db: AskableDatabase, filter: RowFilter): [from: string, params: string[]] {
  const scan = `(SELECT * FROM cookies LIMIT ${MOST_ROWS + 1})`;
  if (filter.hostKeys !== undefined) {
    const marks = filter.hostKeys.map(() => "?").join(", ");
    const index = indexByHost(db);
    const from = index === undefined ? scan : `cookies INDEXED BY "${index.replaceAll('"', '""')}"`;
    return [`${from} WHERE host_key IN (${marks})`, [...filter.hostKeys]];
  }
  if (filter.under === undefined) return ["cookies", []];
  // GLOB, because LIKE would take a _ in a host for any character.
  return [`${scan} WHERE host_key = ? OR host_key GLOB ?`, [filter.under, `*.${filter.under}`]];
}

function indexByHost(db: AskableDatabase): string | undefined {
  const [row] = db.all(
    `SELECT list.name FROM pragma_index_list('cookies') AS list, pragma_index_info(list.name) AS info
     WHERE list.partial = 0 AND info.seqno = 0 AND info.name = 'host_key' LIMIT 1`,
  );
  return row === undefined ? undefined : String(row[0]);
}

function byCreation(a: Row, b: Row): number {
  const [x, y] = [a.created, b.created];
  if (typeof x !== "bigint" || typeof y !== "bigint") return 0;
  return x < y ? -1 : x > y ? 1 : 0;
}
