/** A Firefox profile written the way Firefox 153 writes one, for tests. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Unlabelled } from "../../src/cookies/index.ts";

/** As `.schema` shows it in a profile of Firefox 153, `PRAGMA user_version` 17. */
export const FIREFOX_SCHEMA = `
  CREATE TABLE moz_cookies (id INTEGER PRIMARY KEY, originAttributes TEXT NOT NULL DEFAULT '', name TEXT, value TEXT,
    host TEXT, path TEXT, expiry INTEGER, lastAccessed INTEGER, creationTime INTEGER, isSecure INTEGER,
    isHttpOnly INTEGER, inBrowserElement INTEGER DEFAULT 0, sameSite INTEGER DEFAULT 0, schemeMap INTEGER DEFAULT 0,
    isPartitionedAttributeSet INTEGER DEFAULT 0, updateTime INTEGER,
    CONSTRAINT moz_uniqueid UNIQUE (name, host, path, originAttributes));
  PRAGMA user_version = 17;`;

const SAME_SITE = { none: 0, lax: 1, strict: 2, unset: 256 };
const SCHEME_MAP = { unset: 0, nonsecure: 1, secure: 2 };

/** The path of the database. Cookies without an expiry go to the session store. */
export function writeFirefoxProfile(profile: string, cookies: readonly Unlabelled[]): string {
  mkdirSync(profile, { recursive: true });
  const path = join(profile, "cookies.sqlite");
  using db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; BEGIN; ${FIREFOX_SCHEMA}`);
  const insert = db.prepare(`INSERT INTO moz_cookies VALUES (${Array(16).fill("?").join(",")})`);
  for (const cookie of cookies) {
    if (cookie.expires === null) continue;
    insert.run(
      null,
      originSuffix(cookie),
      cookie.name,
      cookie.value,
      hostOf(cookie),
      cookie.path,
      cookie.expires,
      cookie.updated * 1000,
      cookie.created * 1000,
      Number(cookie.secure),
      Number(cookie.httpOnly),
      0,
      SAME_SITE[cookie.sameSite],
      SCHEME_MAP[cookie.sourceScheme],
      Number(cookie.partitionKey !== null),
      cookie.updated * 1000,
    );
  }
  db.exec("COMMIT");
  const session = cookies.filter(({ expires }) => expires === null);
  if (session.length > 0) writeFileSync(join(profile, "sessionstore.jsonlz4"), mozLz4(sessionStore(session)));
  return path;
}

/** As a file with an LZ4 block of literals only: any decoder takes it. */
export function mozLz4(text: string): Buffer {
  const content = Buffer.from(text);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  const more = content.length - 15;
  const length =
    more < 0 ? [content.length << 4] : [0xf0, ...Array(Math.floor(more / 255)).fill(255), more % 255];
  return Buffer.concat([Buffer.from("mozLz40\0"), size, Buffer.from(length), content]);
}

function sessionStore(cookies: readonly Unlabelled[]): string {
  const listed = cookies.map((cookie) => ({
    host: hostOf(cookie),
    name: cookie.name,
    value: cookie.value,
    path: cookie.path,
    ...(cookie.secure ? { secure: true } : {}),
    ...(cookie.httpOnly ? { httponly: true } : {}),
    sameSite: SAME_SITE[cookie.sameSite],
    schemeMap: SCHEME_MAP[cookie.sourceScheme],
    originAttributes: { partitionKey: partitionKey(cookie), privateBrowsingId: 0, userContextId: 0 },
  }));
  return JSON.stringify({ windows: [], cookies: listed, session: { lastUpdate: cookies[0]?.created } });
}

function hostOf({ domain, hostOnly }: Unlabelled): string {
  return hostOnly ? domain : `.${domain}`;
}

function originSuffix(cookie: Unlabelled): string {
  const key = partitionKey(cookie);
  return key === "" ? "" : `^partitionKey=${encodeURIComponent(key).replace("(", "%28").replace(")", "%29")}`;
}

function partitionKey({ partitionKey, domain }: Unlabelled): string {
  if (partitionKey === null) return "";
  const { protocol, hostname } = new URL(partitionKey.topLevelSite);
  const foreign = partitionKey.crossSiteAncestor && domain.endsWith(hostname) ? ",f" : "";
  return `(${protocol.slice(0, -1)},${hostname}${foreign})`;
}
