import type { Cookie, CookieIdentity, Unlabelled } from "../cookies/index.ts";
import { DeputyError } from "../kernel/index.ts";
import type { ForeignWriter, SqlValue } from "../platform/index.ts";
import { crossSiteAncestor, FILL, type Filled, hostKeyOf } from "./row-of-cookie.ts";
import { MOST_ROWS, type Row, selectRows } from "./select-rows.ts";
import { toWebKitTime } from "./webkit-time.ts";

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

interface WriteOptions {
  /** Different identities, at most one cookie each. */
  readonly want: readonly Cookie[];
  readonly gone: readonly CookieIdentity[];
  /** How what is there is read, to see what need not change. */
  readonly read: (rows: readonly Row[]) => readonly Unlabelled[];
  readonly hold: (cookies: readonly Placed[]) => readonly Pick<Filled, "value" | "sealed">[];
  /** Whether a program that looks there would find the values that are meant. */
  readonly proves: (rows: readonly Filled[]) => boolean;
  /** Called once, before the first change. */
  readonly beforeChange?: () => void;
}

/** A cookie, and what its row is found by. */
interface Placed {
  readonly cookie: Cookie;
  readonly hostKey: string;
  readonly key: string;
}

export interface Written {
  readonly delivered: number;
  readonly unchanged: number;
  readonly deleted: number;
}

/** What is read back of each row: whose it is, until when, and the value. Sealed values are opened too. */
const PROOF = "host_key, name, path, expires_utc, value, encrypted_value";

/** Rows a statement: a call of SQLite costs as much as the row. */
const ROWS_AT_ONCE = 100;

/** More hosts than this are found faster by reading all rows. */
const MANY_HOSTS = 50;

/**
 * Puts cookies into a store of any known schema and takes others out, inside the transaction the caller holds. What
 * was written is read back and compared, and all rows are counted: on any difference it throws, and nothing happened.
 */
export function writeCookies(db: ForeignWriter, options: WriteOptions): Written {
  const { gone, read } = options;
  const upsert = upsertFor(db);
  const want = placesOf(options.want);
  const hostKeys = new Set(want.map(({ hostKey }) => hostKey)).union(new Set(gone.map(hostKeyOf)));
  const before = rowsOf(db, [...hostKeys]);
  const rows = new Map<string, number>();
  for (const row of before) rows.set(keyOfRow(row), (rows.get(keyOfRow(row)) ?? 0) + 1);
  const known = new Map(read(before).map((cookie) => [keyOf(cookie, hostKeyOf(cookie)), cookie]));
  const isChanged = ({ cookie, key }: Placed) => rows.get(key) !== 1 || !isSame(cookie, known.get(key));
  const changed = rows.size === 0 ? want : want.filter(isChanged);
  const leaving = gone.filter((one) => rows.has(keyOf(one, hostKeyOf(one))));
  const unchanged = want.length - changed.length;
  if (changed.length + leaving.length === 0) return { delivered: 0, unchanged, deleted: 0 };

  options.beforeChange?.();
  const countBefore = count(db);
  const remove = removerFor(db);
  let removed = 0;
  for (const one of leaving) removed += remove(one);
  // Not updated in place: there may be rows of the same cookie from another port or scheme, and the browser would keep
  // the one it likes.
  if (rows.size > 0) for (const { cookie, key } of changed) if (rows.has(key)) removed += remove(cookie);
  const last = Number(db.all("SELECT ifnull(max(rowid), 0) FROM cookies")[0]?.[0]);
  const held = options.hold(changed);
  const meant = changed.map(({ cookie, hostKey }, i): Filled => {
    const holds = held[i];
    if (holds === undefined) throw new TypeError("a cookie without its value");
    return { cookie, hostKey, value: holds.value, sealed: holds.sealed };
  });
  upsert(meant);
  const back = db.all(`SELECT ${PROOF} FROM cookies WHERE rowid > ? ORDER BY rowid`, last);
  const sound =
    back.length === meant.length &&
    meant.every((row, i) => isRowOf(row, back[i] ?? [])) &&
    count(db) === countBefore - removed + meant.length &&
    options.proves(meant);
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
  const fills = known.flatMap((name) => FILL[name] ?? []);
  return (rows: readonly Filled[]): void => {
    for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
      const part = rows.slice(i, i + ROWS_AT_ONCE);
      const values: SqlValue[] = [];
      for (const row of part) for (const fill of fills) values.push(fill(row));
      db.run(part.length === ROWS_AT_ONCE ? many : insert(part.length), ...values);
    }
  };
}

function rowsOf(db: ForeignWriter, hostKeys: readonly string[]): readonly Row[] {
  const selected = selectRows(db, hostKeys.length > MANY_HOSTS ? {} : { hostKeys });
  if (selected === undefined || selected.truncated)
    throw new DeputyError(
      "UNSUPPORTED",
      `Cannot write cookies: the store holds more than ${MOST_ROWS} of them`,
      { hint: "No browser keeps so many: clear its cookies, or deliver to another profile." },
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

/** Whether it is what `PROOF` found. */
function isRowOf({ cookie, hostKey, value, sealed }: Filled, found: readonly SqlValue[]): boolean {
  const [host, name, path, expires, clear, closed] = found;
  return (
    host === hostKey &&
    name === cookie.name &&
    path === cookie.path &&
    expires === (cookie.expires === null ? 0n : toWebKitTime(cookie.expires)) &&
    clear === value &&
    closed instanceof Uint8Array &&
    Buffer.compare(closed, sealed) === 0
  );
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

/** One text a host, however many cookies it has: each new one would have to be hashed anew wherever it is looked up. */
function placesOf(cookies: readonly Cookie[]): Placed[] {
  const [exact, below] = [new Map<string, string>(), new Map<string, string>()];
  return cookies.map((cookie) => {
    const known = cookie.hostOnly ? exact : below;
    const hostKey = known.getOrInsertComputed(cookie.domain, () => hostKeyOf(cookie));
    return { cookie, hostKey, key: keyOf(cookie, hostKey) };
  });
}

function keyOf(one: CookieIdentity, hostKey: string): string {
  const { partitionKey } = one;
  const partition = partitionKey === null ? "" : `${partitionKey.topLevelSite}\0${crossSiteAncestor(one)}`;
  return `${hostKey}\0${one.name}\0${one.path}\0${partition}`;
}

function keyOfRow(row: Row): string {
  const site = String(row.topFrameSite ?? "");
  const partition = site === "" ? "" : `${site}\0${Number(row.crossSiteAncestor ?? 1n)}`;
  return `${String(row.hostKey)}\0${String(row.name)}\0${String(row.path)}\0${partition}`;
}
