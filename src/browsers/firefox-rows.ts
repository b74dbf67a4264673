import type { RowFilter } from "../chromium/index.ts";
import type { Unlabelled } from "../cookies/index.ts";
import type { ForeignDatabase, ForeignRow, SqlValue } from "../platform/index.ts";
import { firefoxCookie } from "./firefox-cookie.ts";
import { type OriginAttributes, parseOriginAttributes } from "./origin-attributes.ts";

/** One row of `moz_cookies`: a cookie and what it is kept apart by, or undefined for what is none. */
interface FirefoxRow {
  readonly domain: string;
  readonly name: string;
  readonly attributes: OriginAttributes;
  readonly cookie: Unlabelled | undefined;
}

// Versions of netwerk/cookie/CookiePersistentStorage.cpp: its migrations from 15 and from 14.
const FIRST_IN_MILLISECONDS = 16;
const FIRST_WITH_ONE_SAMESITE = 15;

/** Firefox itself keeps at most 3,000 (network.cookie.maxNumber). */
export const MOST_ROWS = 20_000;
const LONGEST_VALUE = 65_536;

const REQUIRED = ["name", "value", "host", "path", "expiry"];
const OPTIONAL = {
  originAttributes: "''",
  creationTime: "0",
  updateTime: "NULL",
  isSecure: "0",
  isHttpOnly: "0",
  sameSite: "256",
  rawSameSite: "NULL",
  schemeMap: "0",
};

const CREATION = REQUIRED.length + Object.keys(OPTIONAL).indexOf("creationTime");

/** The rows wanted, in the order they were created; undefined where it is no cookie store. */
export function firefoxRows(db: ForeignDatabase, filter: RowFilter): FirefoxRow[] | undefined {
  const columns = db.columns("moz_cookies") ?? [];
  if (!REQUIRED.every((column) => columns.includes(column))) return undefined;
  const optional = Object.entries(OPTIONAL).map(([column, otherwise]) =>
    columns.includes(column) ? column : `${otherwise} AS ${column}`,
  );
  const inner = `SELECT name, iif(length(value) <= ${LONGEST_VALUE}, value, NULL) AS value, host, path, expiry,
    ${optional.join(", ")} FROM moz_cookies LIMIT ${MOST_ROWS}`;
  const [where, params] = condition(filter);
  const version = Number(db.all("PRAGMA user_version")[0]?.[0] ?? 0);
  // The limit is inside, because a damaged or hostile tree can hold endless rows, none of them wanted. And no ORDER
  // BY: SQLite would move it inside too, and sort before it limits.
  const rows = db.all(`SELECT * FROM (${inner}) ${where}`, ...params);
  return rows.sort(byCreation).map((row) => firefoxRow(row, version));
}

function byCreation(a: ForeignRow, b: ForeignRow): number {
  const [x, y] = [a[CREATION], b[CREATION]];
  if (typeof x !== "bigint" || typeof y !== "bigint") return 0;
  return x < y ? -1 : x > y ? 1 : 0;
}

function condition(filter: RowFilter): [sql: string, params: string[]] {
  if (filter.hostKeys !== undefined)
    return [`WHERE host IN (${filter.hostKeys.map(() => "?").join(", ")})`, [...filter.hostKeys]];
  if (filter.under === undefined) return ["", []];
  return ["WHERE host = ? OR host GLOB ?", [filter.under, `*.${filter.under}`]];
}

function firefoxRow(row: ForeignRow, version: number): FirefoxRow {
  const [
    name,
    value,
    host,
    path,
    expiry,
    suffix,
    creation,
    update,
    secure,
    httpOnly,
    sameSite,
    raw,
    schemes,
  ] = row;
  const attributes = parseOriginAttributes(typeof suffix === "string" ? suffix : "");
  const created = fromMicroseconds(creation);
  // Before version 15 the site's own word was in rawSameSite, and Lax over None meant that there was none.
  const wasUnset = version < FIRST_WITH_ONE_SAMESITE && sameSite === 1n && raw === 0n;
  const expires =
    typeof expiry === "bigint" ? Number(expiry) * (version < FIRST_IN_MILLISECONDS ? 1000 : 1) : Number.NaN;
  const fields = {
    name,
    value,
    host,
    path,
    secure: secure === 1n,
    httpOnly: httpOnly === 1n,
    sameSite: wasUnset ? 256 : Number(sameSite),
    schemeMap: Number(schemes),
    expires,
    created,
    updated: update === null ? created : fromMicroseconds(update),
  };
  const cookie = Number.isNaN(expires) ? undefined : firefoxCookie(fields, attributes);
  return {
    domain: String(host).replace(/^\./, "").slice(0, 253),
    name: String(name).slice(0, 100),
    attributes,
    cookie,
  };
}

function fromMicroseconds(time: SqlValue | undefined): number {
  return typeof time === "bigint" ? Math.floor(Number(time) / 1000) : 0;
}
