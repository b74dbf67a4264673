/** A Chromium profile written the way Chromium 156 writes one, for tests and the bench. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  CHROMIUM_SCHEMA,
  createChromiumStore,
  deriveSealingKey,
  type SealingKeys,
  toWebKitTime,
} from "../../src/chromium/index.ts";
import type { Unlabelled } from "../../src/cookies/index.ts";
import { Secret } from "../../src/kernel/index.ts";

export const PUBLIC_KEYS: SealingKeys = { v10: deriveSealingKey("peanuts", 1) };

const SAME_SITE = { unset: -1, none: 0, lax: 1, strict: 2 };
const PRIORITY = { low: 0, medium: 1, high: 2 };
const SOURCE_SCHEME = { unset: 0, nonsecure: 1, secure: 2 };

interface Options {
  readonly version?: number;
  readonly keys?: SealingKeys;
}

/** The path of the database. */
export function writeChromiumProfile(
  profile: string,
  cookies: readonly Unlabelled[],
  options: Options = {},
): string {
  mkdirSync(profile, { recursive: true });
  const path = join(profile, "Cookies");
  const { version = 24, keys = PUBLIC_KEYS } = options;
  const store = createChromiumStore({ version, keys });
  using db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = DELETE; BEGIN; ${CHROMIUM_SCHEMA}`);
  db.prepare("INSERT INTO meta VALUES ('version', ?), ('last_compatible_version', ?)").run(
    `${version}`,
    `${version}`,
  );
  const insert = db.prepare(`INSERT OR REPLACE INTO cookies VALUES (${Array(20).fill("?").join(",")})`);
  for (const cookie of cookies) {
    const hostKey = `${cookie.hostOnly ? "" : "."}${cookie.domain}`;
    const persistent = cookie.expires === null ? 0 : 1;
    insert.run(
      toWebKitTime(cookie.created),
      hostKey,
      cookie.partitionKey?.topLevelSite ?? "",
      cookie.name,
      "",
      store.seal(Secret.fromText(cookie.value), hostKey),
      cookie.path,
      cookie.expires === null ? 0n : toWebKitTime(cookie.expires),
      Number(cookie.secure),
      Number(cookie.httpOnly),
      toWebKitTime(cookie.updated),
      persistent,
      persistent,
      PRIORITY[cookie.priority],
      SAME_SITE[cookie.sameSite],
      SOURCE_SCHEME[cookie.sourceScheme],
      cookie.sourcePort,
      toWebKitTime(cookie.updated),
      1,
      Number(cookie.partitionKey?.crossSiteAncestor ?? true),
    );
  }
  db.exec("COMMIT");
  return path;
}
