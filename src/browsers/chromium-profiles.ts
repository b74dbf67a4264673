import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { chromiumStorePath } from "../chromium/index.ts";
import { type BrowserProfile, shownName } from "./browser-profile.ts";
import type { BrowserId } from "./catalogue.ts";
import { asObject, findJsonFile } from "./small-file.ts";

/** Chromium's own, with nobody's logins in them. */
const NOBODYS = new Set(["System Profile", "Guest Profile"]);

/** The profiles in a user data folder, with the names `Local State` gives them. */
export function chromiumProfiles(browser: BrowserId, userData: string): BrowserProfile[] {
  const state = asObject(findJsonFile(join(userData, "Local State"))?.["profile"]) ?? {};
  const names = asObject(state["info_cache"]) ?? {};
  const lastUsed = typeof state["last_used"] === "string" ? state["last_used"] : "Default";
  const folders = subfolders(userData).filter(
    (folder) => !NOBODYS.has(folder) && isChromiumProfile(join(userData, folder)),
  );
  const profiles = folders.map((folder) => ({
    browser,
    family: "chromium" as const,
    profile: shownName(asObject(names[folder])?.["name"], folder),
    folder,
    path: join(userData, folder),
    isDefault: folder === lastUsed,
  }));
  // Opera once kept its only profile in the user data folder itself.
  if (isChromiumProfile(userData)) profiles.unshift(lone(browser, userData));
  return profiles;
}

export function isChromiumProfile(folder: string): boolean {
  return existsSync(chromiumStorePath(folder));
}

function lone(browser: BrowserId, path: string) {
  const folder = basename(path);
  return { browser, family: "chromium" as const, profile: "Default", folder, path, isDefault: true };
}

function subfolders(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => entry.name)
      .sort();
  } catch {
    return [];
  }
}
