import type { Environment } from "../platform/index.ts";
import type { BrowserProfile } from "./browser-profile.ts";
import { type BrowserEntry, catalogue } from "./catalogue.ts";
import { chromiumProfiles } from "./chromium-profiles.ts";
import { firefoxProfiles } from "./firefox-profiles.ts";
import { profileFolders } from "./profile-folders.ts";
import { safariProfiles } from "./safari-profiles.ts";

/** Every profile of every known browser, the catalogue's order, each browser's default first. */
export function listProfiles(platform: NodeJS.Platform, env: Environment): BrowserProfile[] {
  return catalogue.flatMap((entry) =>
    profileFolders(entry, platform, env)
      .flatMap((folder) => profilesIn(entry, folder))
      .sort((a, b) => Number(b.isDefault) - Number(a.isDefault)),
  );
}

function profilesIn({ id, family }: BrowserEntry, folder: string): BrowserProfile[] {
  switch (family) {
    case "chromium":
      return chromiumProfiles(id, folder);
    case "firefox":
      return firefoxProfiles(id, folder);
    case "safari":
      return safariProfiles(folder);
  }
}
