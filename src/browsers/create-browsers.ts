import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { CdpConnection } from "../cdp/index.ts";
import {
  createSafeStorage,
  type FoundKeys,
  type KeyPlace,
  type SafeStorageOptions,
} from "../chromium/index.ts";
import { type Clock, DeputyError, systemClock } from "../kernel/index.ts";
import { type Environment, lookupKeychain, lookupSecret } from "../platform/index.ts";
import type { BrowserProfile } from "./browser-profile.ts";
import { catalogue } from "./catalogue.ts";
import { createChromiumReader } from "./chromium-reader.ts";
import type { CookieQuery, CookieReader, ReadResult } from "./cookie-reader.ts";
import { findProfile, type WantedProfile } from "./find-profile.ts";
import { createFirefoxReader } from "./firefox-reader.ts";
import type { HostCount } from "./host-counts.ts";
import { createLiveReader } from "./live-reader.ts";
import { profileList } from "./profile-list.ts";
import { createSafariReader } from "./safari-reader.ts";
import type { ReadWarning } from "./warning.ts";

/** A line of `deputy browsers`. */
export interface BrowserRow {
  readonly browser: string;
  readonly profile: string;
  readonly path: string;
  readonly cookies: number;
  readonly readable: boolean;
  readonly warnings: ReadWarning[];
}

export interface SurveyedRow extends BrowserRow {
  readonly hosts: HostCount[];
}

interface BrowsersOptions {
  readonly env: Environment;
  readonly platform?: NodeJS.Platform;
  readonly clock?: Clock;
  /** Where sealing keys are asked for; the system's own unless a test says otherwise. */
  readonly lookupSecret?: SafeStorageOptions["lookupSecret"];
  readonly lookupKeychain?: SafeStorageOptions["lookupKeychain"];
}

/** Disposing zeroes the sealing keys found so far. */
export interface Browsers extends Disposable {
  /** Every profile with cookies, without opening any. */
  list(): BrowserProfile[];
  discover(): Promise<BrowserRow[]>;
  /** The same with the hosts whose cookies each has. */
  survey(): Promise<SurveyedRow[]>;
  /** Throws BROWSER_NOT_FOUND, with what there is as the hint. */
  find(wanted: WantedProfile): BrowserProfile;
  reader(profile: BrowserProfile): CookieReader;
  /** A browser that runs and lets itself be steered: `http://127.0.0.1:9222` or its `ws://` address. */
  live(endpoint: string): CookieReader;
  /** A browser that is steered already. */
  steered(connection: CdpConnection): CookieReader;
  read(profile: BrowserProfile, query?: CookieQuery): Promise<ReadResult>;
  /** The sealing keys of a Chromium profile, for whoever writes one. */
  keysOf(profile: BrowserProfile, prefixes: ReadonlySet<string>): Promise<FoundKeys>;
}

/** The browsers of this user on this machine. */
export function createBrowsers(options: BrowsersOptions): Browsers {
  const { env, platform = process.platform, clock = systemClock } = options;
  const safeStorage = createSafeStorage({
    platform,
    env,
    lookupSecret: options.lookupSecret ?? lookupSecret,
    lookupKeychain: options.lookupKeychain ?? lookupKeychain,
    usesKWallet: () => usesKWallet(env),
  });

  const browsers: Browsers = {
    list: profileList(platform, env),

    async discover() {
      const rows = await browsers.survey();
      return rows.map(({ browser, profile, path, cookies, readable, warnings }) => {
        return { browser, profile, path, cookies, readable, warnings };
      });
    },

    async survey() {
      const rows: SurveyedRow[] = [];
      for (const one of browsers.list()) {
        const { browser, profile, path } = one;
        const summary = await browsers.reader(one).summary();
        // Every Firefox profile starts with four containers nobody asked for.
        if (one.container !== undefined && summary.cookies === 0) continue;
        rows.push({ browser, profile, path, ...summary });
      }
      return rows;
    },

    find: (wanted) => findProfile(browsers.list(), wanted),

    reader(profile) {
      const { path } = profile;
      switch (profile.family) {
        case "firefox": {
          const { container } = profile;
          return createFirefoxReader({ path, clock, ...(container === undefined ? {} : { container }) });
        }
        case "safari":
          return createSafariReader({ path, clock });
        case "chromium": {
          const keyPlace = keyPlaceOf(profile);
          const keyNeedsOwner = platform === "darwin";
          return createChromiumReader({ path, keyPlace, safeStorage, clock, keyNeedsOwner });
        }
      }
    },

    live: (endpoint) => createLiveReader({ endpoint, clock }),
    steered: (connection) => createLiveReader({ endpoint: connection, clock }),

    read: (profile, query) => browsers.reader(profile).read(query),
    keysOf: (profile, prefixes) => safeStorage.keysFor(keyPlaceOf(profile), prefixes),

    [Symbol.dispose]: () => safeStorage[Symbol.dispose](),
  };
  return browsers;
}

function keyPlaceOf(profile: BrowserProfile): KeyPlace {
  const keyPlace = catalogue.find(({ id }) => id === profile.browser)?.keyPlace;
  if (keyPlace === undefined) throw new DeputyError("INTERNAL", `${profile.browser} has no key place`);
  return keyPlace;
}

/** KDE, or anybody who has ever used its wallet. */
function usesKWallet(env: Environment): boolean {
  if (/\bKDE\b/i.test(env["XDG_CURRENT_DESKTOP"] ?? "")) return true;
  const data = env["XDG_DATA_HOME"] || join(env["HOME"] || homedir(), ".local", "share");
  return existsSync(join(data, "kwalletd"));
}
