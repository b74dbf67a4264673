import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../platform/index.ts";
import type { BrowserProfile } from "./browser-profile.ts";
import { catalogue } from "./catalogue.ts";
import { isChromiumProfile } from "./chromium-profiles.ts";
import { isFirefoxProfile } from "./firefox-profiles.ts";
import { listProfiles } from "./list-profiles.ts";
import { profileFolders } from "./profile-folders.ts";

/** File systems tell times in steps: what changed a moment ago may change again and look the same. */
const SETTLED_MS = 1000;
/** Where lists of profiles are written, besides in the folders themselves. */
const LISTS = ["Local State", "profiles.ini", "installs.ini"];

interface Known {
  readonly profiles: readonly BrowserProfile[];
  readonly stamps: ReadonlyMap<string, string>;
}

/**
 * Every profile, looked for again only where something the list depends on has changed: most places a browser could be
 * in do not exist, and asking for each of them costs more than the rest of a call.
 */
export function profileList(platform: NodeJS.Platform, env: Environment): () => BrowserProfile[] {
  // Safari's further profiles lie deeper than the folders watched here.
  if (platform === "darwin") return () => listProfiles(platform, env);
  const folders = [...new Set(catalogue.flatMap((entry) => profileFolders(entry, platform, env)))];
  let known: Known | undefined;
  return () => {
    if (known === undefined || !isCurrent(known)) {
      const started = Date.now();
      const profiles = listProfiles(platform, env);
      const watched = watchedFor(folders, profiles);
      const settled = watched.every((path) => (changedAt(path) ?? 0) < started - SETTLED_MS);
      if (!settled) {
        known = undefined;
        return profiles;
      }
      known = { profiles, stamps: new Map(watched.map((path) => [path, stampOf(path)])) };
    }
    return [...known.profiles];
  };
}

function isCurrent({ profiles, stamps }: Known): boolean {
  const isProfile = ({ path }: BrowserProfile) => isChromiumProfile(path) || isFirefoxProfile(path);
  return profiles.every(isProfile) && stamps.entries().every(([path, stamp]) => stampOf(path) === stamp);
}

/** What changes when a profile comes. A profile that is there changes all the time, and that says nothing. */
function watchedFor(folders: readonly string[], profiles: readonly BrowserProfile[]): string[] {
  const own = new Set(profiles.map(({ path }) => path));
  const roots = [...folders, ...folders.map((folder) => join(folder, "Profiles"))];
  const places = roots
    .flatMap((folder) => (isThere(folder) ? [folder, ...childrenOf(folder)] : [nearestThere(folder)]))
    .filter((folder) => !own.has(folder));
  const inside = places.flatMap((folder) => ["Network", ...LISTS].map((name) => join(folder, name)));
  const containers = [...own].map((path) => join(path, "containers.json"));
  return [...new Set([...places, ...inside.filter(isThere), ...containers])];
}

function childrenOf(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}

/** Nothing appears in a folder that is not there before this one has changed. */
function nearestThere(folder: string): string {
  let place = folder;
  while (!isThere(place) && dirname(place) !== place) place = dirname(place);
  return place;
}

function isThere(path: string): boolean {
  return changedAt(path) !== undefined;
}

function changedAt(path: string): number | undefined {
  return find(path)?.mtimeMs;
}

function stampOf(path: string): string {
  const stat = find(path);
  return stat === undefined ? "" : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}

function find(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // not ours to look at, or below a file
  }
}
