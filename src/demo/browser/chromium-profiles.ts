import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "../machine.ts";
import type { ProfileName } from "./demo-browser.ts";

const FOLDERS = { Home: "Default", Work: "Profile 1" } as const;

export interface ChromiumProfiles {
  readonly userData: string;
  folder(profile: ProfileName): (typeof FOLDERS)[ProfileName];
  path(profile: ProfileName): string;
}

/** Chromium's folder where this system has it, with names for its profiles. */
export function chromiumProfiles({ home }: Machine): ChromiumProfiles {
  const places: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(home, "Library", "Application Support", "Chromium"),
    win32: join(home, "AppData", "Local", "Chromium", "User Data"),
  };
  const userData = places[process.platform] ?? join(home, ".config", "chromium");
  mkdirSync(userData, { recursive: true });
  const names = Object.entries(FOLDERS).map(([name, folder]) => [folder, { name }]);
  const state = { profile: { info_cache: Object.fromEntries(names), last_used: FOLDERS.Home } };
  writeFileSync(join(userData, "Local State"), JSON.stringify(state));
  const folder = (profile: ProfileName) => FOLDERS[profile];
  return { userData, folder, path: (profile) => join(userData, folder(profile)) };
}
