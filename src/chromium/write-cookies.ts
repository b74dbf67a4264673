import { type Cookie, type CookieIdentity, cookieKey, type Unlabelled } from "../cookies/index.ts";
import { DeputyError } from "../kernel/index.ts";
import type { ForeignWriter } from "../platform/index.ts";
import { crossSiteAncestor, FILL, type Held, hostKeyOf } from "./row-of-cookie.ts";
import { MOST_ROWS, type Row, selectRows } from "./select-rows.ts";

/**
 * The versions whose rows Deputy knows how to write (net/extras/sqlite/sqlite_persistent_cookie_store.cc, the
 * history at its top). A row a browser cannot make sense of costs all cookies of its site.
 */
export const KNOWN_VERSIONS = { least: 18, most: 24 } as const;

/** As Chromium 156 makes it. */
export const CHROMIUM_SCHEMA = `
  CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
  CREATE TABLE cookies(creation_utc INTEGER NOT NULL,host_key TEXT NOT NULL,top_frame_site_key TEXT NOT NULL,
    name TEXT NOT NULL,value TEXT NOT NULL,encrypted_value BLOB NOT NULL,path TEXT NOT NULL,
    expires_utc INTEGER NOT NULL,is_secure INTEGER NOT NULL,is_httponly INTEGER NOT NULL,
    last_access_utc INTEGER NOT NULL,has_expires INTEGER NOT NULL,is_persistent INTEGER NOT NULL,
    priority INTEGER NOT NULL,samesite INTEGER NOT NULL,source_scheme INTEGER NOT NULL,
    source_port INTEGER NOT NULL,last_update_utc INTEGER NOT NULL,source_type INTEGER NOT NULL,
    has_cross_site_ancestor INTEGER NOT NULL);
  CREATE UNIQUE INDEX cookies_unique_index ON cookies(host_key, top_frame_site_key, has_cross_site_ancestor, name,
    path, source_scheme, source_port);`;

export interface WriteOptions {
  /** Different identities, at most one cookie each. */
  readonly want: readonly Cookie[];
  readonly gone: readonly CookieIdentity[];
  /** How what is there is read: to see what need not change, and to prove what was written. */
  readonly read: (rows: readonly Row[]) => readonly Unlabelled[];
  readonly hold: (cookie: Cookie) => Held;
  /** Called once, before the first change. */
  readonly beforeChange?: () => void;
}

export interface Written {
  readonly delivered: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** Rows in the whole store. */
  readonly rows: number;
}

/** More hosts than this are found faster by reading all rows. */
const MANY_HOSTS = 50;

/**
 * Puts cookies into a store of any known schema and takes others out, inside the transaction the caller holds. What
 * was written is read back and compared, and all rows are counted: on any difference it throws, and nothing happened.
 */
export function writeCookies(db: ForeignWriter, options: WriteOptions): Written {
  const { want, gone, read } = options;
  const upsert = upsertFor(db);
  const hosts = [...new Set([...want, ...gone].map(hostKeyOf))];
  const before = rowsOf(db, hosts);
  const known = Map.groupBy(before, keyOfRow);
  const countBefore = count(db);
  const changed: Cookie[] = [];
  for (const cookie of want) {
    const there = known.get(keyOfCookie(cookie)) ?? [];
    if (there.length !== 1 || !isSame(cookie, read(there))) changed.push(cookie);
  }
  const leaving = gone.filter((one) => known.has(keyOfCookie(one)));
  const unchanged = want.length - changed.length;
  if (changed.length + leaving.length === 0)
    return { delivered: 0, unchanged, deleted: 0, rows: countBefore };

  options.beforeChange?.();
  let removed = 0;
  const remove = removerFor(db);
  for (const one of leaving) removed += remove(one);
  // Other rows of the same cookie, from another port or scheme: the browser would keep the one it likes.
  for (const cookie of changed) if (known.has(keyOfCookie(cookie))) removed += remove(cookie);
  for (const cookie of changed) db.run(upsert.sql, ...upsert.values(cookie, options.hold(cookie)));
  verify(db, { changed, hosts, read, count: countBefore - removed + changed.length });
  return {
    delivered: changed.length,
    unchanged,
    deleted: leaving.length,
    rows: countBefore - removed + changed.length,
  };
}

/** The statement for the columns and the unique index that are really there. */
function upsertFor(db: ForeignWriter) {
  const columns = db.all("SELECT name, \"notnull\", dflt_value FROM pragma_table_info('cookies')");
  const known = columns.map(([name]) => String(name)).filter((name) => Object.hasOwn(FILL, name));
  const strange = columns.find(
    ([name, required, preset]) => !Object.hasOwn(FILL, String(name)) && required === 1n && preset === null,
  );
  if (columns.length === 0 || strange !== undefined || !known.includes("host_key"))
    throw new DeputyError("UNSUPPORTED", "Cannot write cookies: the store has a form Deputy does not know", {
      hint: strange === undefined ? undefined : `It requires a column ${String(strange[0])}.`,
    });
  const indexed = db.all(
    `SELECT list.name, info.name FROM pragma_index_list('cookies') AS list, pragma_index_info(list.name) AS info
     WHERE list."unique" = 1 AND list.partial = 0 AND list.origin = 'c' ORDER BY list.seq, info.seqno`,
  );
  const unique = indexed.filter(([index]) => index === indexed[0]?.[0]).map(([, name]) => String(name));
  const update = known.filter((name) => !unique.includes(name)).map((name) => `${name} = excluded.${name}`);
  const conflict =
    unique.length === 0 ? "" : `ON CONFLICT(${unique.join(", ")}) DO UPDATE SET ${update.join(", ")}`;
  const sql = `INSERT INTO cookies (${known.join(", ")}) VALUES (${known.map(() => "?").join(", ")}) ${conflict}`;
  return {
    sql,
    values: (cookie: Cookie, held: Held) => known.map((name) => FILL[name]?.(cookie, held) ?? null),
  };
}

function rowsOf(db: ForeignWriter, hostKeys: readonly string[]): readonly Row[] {
  const selected = selectRows(db, hostKeys.length > MANY_HOSTS ? {} : { hostKeys });
  if (selected === undefined || selected.truncated)
    throw new DeputyError(
      "UNSUPPORTED",
      `Cannot write cookies: the store holds more than ${MOST_ROWS} of them`,
    );
  return selected.rows;
}

function removerFor(db: ForeignWriter): (one: CookieIdentity) => number {
  const columns = db.columns("cookies") ?? [];
  const where = (names: readonly string[]) =>
    `DELETE FROM cookies WHERE ${names
      .filter((name) => columns.includes(name))
      .map((name) => `${name} = ?`)
      .join(" AND ")}`;
  const plain = ["host_key", "name", "path", "top_frame_site_key"];
  const partitioned = [...plain, "has_cross_site_ancestor"];
  return (one) => {
    const { partitionKey } = one;
    const values = [hostKeyOf(one), one.name, one.path];
    const site = columns.includes("top_frame_site_key") ? [partitionKey?.topLevelSite ?? ""] : [];
    if (partitionKey === null) return db.run(where(plain), ...values, ...site);
    const ancestor = columns.includes("has_cross_site_ancestor") ? [crossSiteAncestor(one)] : [];
    return db.run(where(partitioned), ...values, ...site, ...ancestor);
  };
}

function verify(
  db: ForeignWriter,
  expected: Pick<WriteOptions, "read"> & {
    changed: readonly Cookie[];
    hosts: readonly string[];
    count: number;
  },
): void {
  const known = Map.groupBy(rowsOf(db, expected.hosts), keyOfRow);
  const wrong = expected.changed.filter((cookie) => {
    const there = known.get(keyOfCookie(cookie)) ?? [];
    return there.length !== 1 || !isSame(cookie, expected.read(there));
  });
  if (wrong.length === 0 && count(db) === expected.count) return;
  throw new DeputyError("CONFLICT", "Cannot write cookies: what was written did not read back as it was", {
    hint: "Nothing was changed. Please report it with the browser's version.",
  });
}

function isSame(cookie: Cookie, [found]: readonly Unlabelled[]): boolean {
  return (
    found !== undefined &&
    found.value === cookie.value &&
    found.expires === cookie.expires &&
    found.secure === cookie.secure &&
    found.httpOnly === cookie.httpOnly &&
    found.sameSite === cookie.sameSite &&
    found.priority === cookie.priority &&
    found.sourceScheme === cookie.sourceScheme &&
    found.sourcePort === cookie.sourcePort &&
    found.created === cookie.created &&
    cookieKey(found) === cookieKey(cookie)
  );
}

function count(db: ForeignWriter): number {
  return Number(db.all("SELECT count(*) FROM cookies")[0]?.[0] ?? 0);
}

const SEPARATOR = "\0";

function keyOfCookie(one: CookieIdentity): string {
  const site = one.partitionKey?.topLevelSite ?? "";
  const ancestor = site === "" ? "" : crossSiteAncestor(one);
  return [hostKeyOf(one), one.name, one.path, site, ancestor].join(SEPARATOR);
}

function keyOfRow(row: Row): string {
  const site = String(row.topFrameSite ?? "");
  const ancestor = site === "" ? "" : Number(row.crossSiteAncestor ?? 1n);
  return [row.hostKey, row.name, row.path, site, ancestor].join(SEPARATOR);
}
