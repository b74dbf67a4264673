import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { BrowserProfile } from "./browser-profile.ts";

const FILE = "Cookies.binarycookies";

/** Safari's own cookies, and since Safari 17 those of each further profile, below a Library folder. */
export function safariProfiles(library: string): BrowserProfile[] {
  const main = join(library, "Cookies");
  const further = join(library, "WebKit", "WebsiteDataStore");
  const folders = [main, ...namesIn(further).map((name) => join(further, name, "Cookies"))];
  return folders.filter(isSafariProfile).map((path) => {
    const isDefault = path === main;
    return safariProfile(path, isDefault ? "Default" : basename(dirname(path)), isDefault);
  });
}

export function safariProfile(path: string, profile = "Default", isDefault = true): BrowserProfile {
  return { browser: "safari", family: "safari", profile, folder: profile, path, isDefault };
}

export function isSafariProfile(folder: string): boolean {
  return existsSync(join(folder, FILE));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
