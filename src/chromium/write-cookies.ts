import type { Cookie, CookieIdentity, Unlabelled } from "../cookies/index.ts";
import { DeputyError } from "../kernel/index.ts";
import type { ForeignWriter, SqlValue } from "../platform/index.ts";
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
  /** How what is there is read, to see what need not change. */
  readonly read: (rows: readonly Row[]) => readonly Unlabelled[];
  readonly hold: (cookie: Cookie, hostKey: string) => Held;
  /** Whether a program that looks there would find the values that are meant. */
  readonly proves: (rows: readonly (Held & { cookie: Cookie; hostKey: string })[]) => boolean;
  /** Called once, before the first change. */
  readonly beforeChange?: () => void;
}

export interface Written {
  readonly delivered: number;
  readonly unchanged: number;
  readonly deleted: number;
}

/** What is read back of each row: whose it is, until when, and the value. Sealed values are opened too. */
const PROOF = ["host_key", "name", "path", "expires_utc", "value", "encrypted_value"] as const;
const [VALUE_AT, SEALED_AT] = [PROOF.indexOf("value"), PROOF.indexOf("encrypted_value")];

/** Rows a statement: a call of SQLite costs as much as the row. */
const ROWS_AT_ONCE = 20;

/** More hosts than this are found faster by reading all rows. */
const MANY_HOSTS = 50;

/**
 * Puts cookies into a store of any known schema and takes others out, inside the transaction the caller holds. What
 * was written is read back and compared, and all rows are counted: on any difference it throws, and nothing happened.
 */
export function writeCookies(db: ForeignWriter, options: WriteOptions): Written {
  const { want, gone, read } = options;
  const upsert = upsertFor(db);
  const before = rowsOf(db, [...new Set([...want, ...gone].map(hostKeyOf))]);
  const rows = new Map<string, number>();
  for (const row of before) rows.set(keyOfRow(row), (rows.get(keyOfRow(row)) ?? 0) + 1);
  const known = new Map(read(before).map((cookie) => [keyOfCookie(cookie), cookie]));
  const changed = want.filter((cookie) => {
    const key = keyOfCookie(cookie);
    return rows.get(key) !== 1 || !isSame(cookie, known.get(key));
  });
  const leaving = gone.filter((one) => rows.has(keyOfCookie(one)));
  const unchanged = want.length - changed.length;
  if (changed.length + leaving.length === 0) return { delivered: 0, unchanged, deleted: 0 };

  options.beforeChange?.();
  const countBefore = count(db);
  const remove = removerFor(db);
  let removed = 0;
  for (const one of leaving) removed += remove(one);
  // Not updated in place: there may be rows of the same cookie from another port or scheme, and the browser would keep
  // the one it likes.
  for (const cookie of changed) if (rows.has(keyOfCookie(cookie))) removed += remove(cookie);
  const last = Number(db.all("SELECT ifnull(max(rowid), 0) FROM cookies")[0]?.[0]);
  const written = changed.map((cookie) => options.hold(cookie, hostKeyOf(cookie)));
  upsert.run(changed, written);
  const back = db.all(`SELECT ${PROOF.join(", ")} FROM cookies WHERE rowid > ? ORDER BY rowid`, last);
  const found = changed.map((cookie, i) => ({
    cookie,
    hostKey: hostKeyOf(cookie),
    value: String(back[i]?.[VALUE_AT]),
    sealed: back[i]?.[SEALED_AT] as Uint8Array,
  }));
  const sound =
    back.length === changed.length &&
    found.every(({ cookie }, i) => sameRow(back[i] ?? [], cookie, written[i])) &&
    count(db) === countBefore - removed + changed.length &&
    options.proves(found);
  if (!sound)
    throw new DeputyError("CONFLICT", "Cannot write cookies: what was written did not read back as it was", {
      hint: "Nothing was changed. Please report it with the browser's version.",
    });
  return { delivered: changed.length, unchanged, deleted: leaving.length };
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
  const row = `(${known.map(() => "?").join(", ")})`;
  const insert = (rows: number) =>
    `INSERT INTO cookies (${known.join(", ")}) VALUES ${Array(rows).fill(row).join(", ")} ${conflict}`;
  const many = insert(ROWS_AT_ONCE);
  return {
    run(cookies: readonly Cookie[], held: readonly Held[]) {
      for (let i = 0; i < cookies.length; i += ROWS_AT_ONCE) {
        const part = cookies.slice(i, i + ROWS_AT_ONCE);
        const values: SqlValue[] = [];
        for (const [j, cookie] of part.entries()) {
          const holds = held[i + j];
          if (holds === undefined) throw new TypeError("a cookie without its value");
          for (const name of known) values.push(FILL[name]?.(cookie, holds) ?? null);
        }
        db.run(part.length === ROWS_AT_ONCE ? many : insert(part.length), ...values);
      }
    },
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

function sameRow(found: readonly SqlValue[], cookie: Cookie, held: Held | undefined): boolean {
  return PROOF.every((name, i) => {
    const value = held === undefined ? undefined : FILL[name]?.(cookie, held);
    const there = found[i];
    if (!(value instanceof Uint8Array)) return there === value;
    return there instanceof Uint8Array && Buffer.compare(there, value) === 0;
  });
}

function isSame(cookie: Cookie, found: Unlabelled | undefined): boolean {
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
    found.created === cookie.created
  );
}

function count(db: ForeignWriter): number {
  return Number(db.all("SELECT count(*) FROM cookies")[0]?.[0] ?? 0);
}

function keyOfCookie(one: CookieIdentity): string {
  const { partitionKey } = one;
  const partition = partitionKey === null ? "" : `${partitionKey.topLevelSite}\0${crossSiteAncestor(one)}`;
  return `${hostKeyOf(one)}\0${one.name}\0${one.path}\0${partition}`;
}

function keyOfRow(row: Row): string {
  const site = String(row.topFrameSite ?? "");
  const partition = site === "" ? "" : `${site}\0${Number(row.crossSiteAncestor ?? 1n)}`;
  return `${String(row.hostKey)}\0${String(row.name)}\0${String(row.path)}\0${partition}`;
}
