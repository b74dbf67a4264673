import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type BrowserUse,
  chromiumStorePath,
  createChromiumStore,
  type FoundKeys,
  findDebugAddress,
  KNOWN_VERSIONS,
  ProfileLock,
  prefixOf,
  readCookies,
  type SealingKeys,
  sealPrefixes,
  selectRows,
  userDataOf,
  versionOf,
  writeCookies,
} from "../chromium/index.ts";
import type { Cookie } from "../cookies/index.ts";
import { type Clock, DeputyError } from "../kernel/index.ts";
import { askDatabase, ForeignWriter } from "../platform/index.ts";
import { keepBackup } from "./backups.ts";
import { createLiveSurface } from "./live-browser.ts";
import { createStoreRefusal } from "./store-refusal.ts";
import { type Deletion, type Delivery, type Refusal, refuse, type Surface } from "./surface.ts";

export interface ChromiumProfileOptions {
  /** The profile's folder. */
  readonly profile: string;
  /** The browser's sealing keys for values with these prefixes. */
  readonly keysFor: (prefixes: ReadonlySet<string>) => Promise<FoundKeys>;
  readonly clock: Clock;
  /** Copies of the store as it was are kept here. */
  readonly backups: string;
  /** Keep cookies that end with the session for so long: a closed profile has no others. Default: refuse them. */
  readonly sessionDays?: number | undefined;
  readonly platform?: NodeJS.Platform;
}

const DAY_MS = 86_400_000;
const WAITS = "waits for the browser to exit: it would not see what is written while it runs";

/**
 * A browser's own store, while the browser is closed. One that runs is handed the cookies itself where it lets itself
 * be steered; else they wait, and `queued` says so.
 */
export function createChromiumProfileSurface(options: ChromiumProfileOptions): Surface {
  const { profile, clock, platform = process.platform } = options;
  const surface = { id: "chromium" as const, target: profile };

  async function running(
    use: Exclude<BrowserUse, { kind: "closed" | "ours" }>,
    want: readonly Cookie[],
    gone: readonly Deletion[],
  ): Promise<Delivery> {
    const counts = { surface: surface.id, target: surface.target, delivered: 0, unchanged: 0, deleted: 0 };
    const address =
      use.kind === "running" && isOnlyProfile(profile) ? findDebugAddress(userDataOf(profile)) : undefined;
    if (address !== undefined) {
      try {
        const live = createLiveSurface({ endpoint: address, clock });
        return { ...(await live.deliver(want, gone)), surface: surface.id, target: surface.target };
      } catch (error) {
        if (!(error instanceof DeputyError)) throw error; // it may have gone away just now
      }
    }
    const reason = use.kind === "elsewhere" ? `the profile is in use on ${use.host}` : WAITS;
    return { ...counts, refused: want.map((cookie) => refuse(cookie, reason)), queued: want.length };
  }

  function closed(want: readonly Cookie[], gone: readonly Deletion[], found: FoundKeys): Delivery {
    using db = ForeignWriter.inPlace(chromiumStorePath(profile));
    const version = versionOf(db);
    if (version < KNOWN_VERSIONS.least || version > KNOWN_VERSIONS.most)
      throw new DeputyError(
        "UNSUPPORTED",
        `Cannot write ${profile}: Deputy does not know version ${version} of its store`,
        {
          hint: "Nothing was changed. Start the browser with --remote-debugging-port, or update Deputy.",
        },
      );
    const keys = provenKeys(db, version, found);
    const now = clock.now();
    const refused: Refusal[] = [];
    const writable: Cookie[] = [];
    const refusalOf = createStoreRefusal({ now, version });
    for (const cookie of want.map((one) => keptFor(one, now, options.sessionDays))) {
      const reason = refusalOf(cookie);
      if (reason === undefined) writable.push(cookie);
      else refused.push(refuse(cookie, reason));
    }
    const store = createChromiumStore({ version, keys });
    const written = db.exclusively(() =>
      writeCookies(db, {
        want: writable,
        gone,
        read: (rows) => readCookies(rows, store).cookies,
        hold: (cookies) =>
          store
            .sealAll(cookies.map(({ cookie, hostKey }) => ({ value: cookie.value, hostKey })))
            .map((sealed) => ({ value: "", sealed })),
        proves: (rows) => store.allOpenTo(rows),
        beforeChange: () => keepBackup(options.backups, profile, db.image(), now),
      }),
    );
    const { delivered, unchanged, deleted } = written;
    return { surface: surface.id, target: surface.target, delivered, unchanged, deleted, refused };
  }

  /** Asked before the profile is held: a keyring may ask the owner, and a starting browser waits only so long. */
  async function findKeys(): Promise<FoundKeys> {
    const asked = await askDatabase(chromiumStorePath(profile), (db) =>
      sealPrefixes(selectRows(db)?.rows ?? []),
    );
    if (asked.kind === "missing")
      throw new DeputyError("BROWSER_NOT_FOUND", `There is no cookie store in ${profile}`, {
        hint: "Start the browser with this profile once, and close it.",
      });
    const uses = asked.kind === "answer" ? schemeOf(asked.value) : "v10";
    return options.keysFor(new Set([uses]));
  }

  /** The scheme the profile's own rows use, and a key that is proven to open them: a wrong one would cost them all. */
  function provenKeys(db: ForeignWriter, version: number, { keys, problems }: FoundKeys): SealingKeys {
    const rows = selectRows(db)?.rows ?? [];
    const wanted = schemeOf(sealPrefixes(rows));
    if (keys[wanted] === undefined)
      throw new DeputyError(
        "KEYRING_UNAVAILABLE",
        `Cannot write ${profile}: ${problems[0]?.reason ?? "its key is not there"}`,
        {
          hint: "Its cookies are sealed with a key of the system's keyring. Unlock that, then try again.",
        },
      );
    const sample = rows
      .filter(({ sealed }) => sealed instanceof Uint8Array && prefixOf(sealed) === wanted)
      .slice(-20);
    const store = createChromiumStore({ version, keys });
    if (sample.length > 0 && readCookies(sample, store).cookies.length === 0)
      throw new DeputyError(
        "WRONG_KEY",
        `Cannot write ${profile}: its cookies were sealed with another key`,
        {
          hint: "Nothing was changed. Start the browser once, so that it settles its key, and close it.",
        },
      );
    const { v11: _, ...withoutKeyring } = keys;
    return wanted === "v11" ? keys : withoutKeyring;
  }

  return {
    ...surface,
    async deliver(want, gone) {
      if (platform === "win32")
        throw new DeputyError("UNSUPPORTED", "Deputy does not write browser profiles on Windows", {
          hint: "Start the browser with --remote-debugging-port, and deliver to the running one: --surface live",
        });
      const keys = await findKeys();
      const lock = await ProfileLock.take(userDataOf(profile));
      if (!(lock instanceof ProfileLock)) return running(lock, want, gone);
      await using _held = lock;
      try {
        return closed(want, gone, keys);
      } catch (error) {
        // A browser that does not use the lock, such as an old headless one, still holds the file.
        if (!(error instanceof DeputyError) || error.code !== "DATABASE_BUSY") throw error;
        return await running({ kind: "running", pid: 0 }, want, gone);
      }
    },
  };
}

/** The protocol names no profile: cookies go to the first one, which must then be the only one. */
function isOnlyProfile(profile: string): boolean {
  try {
    const state = JSON.parse(readFileSync(join(userDataOf(profile), "Local State"), "utf8")) as {
      profile?: { info_cache?: object };
    };
    return Object.keys(state.profile?.info_cache ?? {}).length <= 1;
  } catch {
    return false;
  }
}

function schemeOf(prefixes: ReadonlySet<string>): "v10" | "v11" {
  return prefixes.has("v11") ? "v11" : "v10";
}

/** A cookie that ends with the session, with an end after so many days. */
function keptFor(cookie: Cookie, now: number, days: number | undefined): Cookie {
  if (cookie.expires !== null || days === undefined) return cookie;
  // To the day, or every delivery would find another time in place of the one it wrote.
  return { ...cookie, expires: (Math.floor(now / DAY_MS) + days) * DAY_MS };
}
