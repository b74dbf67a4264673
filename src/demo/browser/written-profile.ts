import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import {
  CHROMIUM_SCHEMA,
  createChromiumStore,
  deriveSealingKey,
  writeCookies,
} from "../../chromium/index.ts";
import { parseCookie } from "../../cookies/index.ts";
import { ForeignWriter } from "../../platform/index.ts";
import { SITE } from "../notes-site.ts";
import { chromiumProfiles } from "./chromium-profiles.ts";
import type { BrowserParts, DemoBrowser, ProfileName } from "./demo-browser.ts";

const VERSION = 24;
const DAY_MS = 86_400_000;

/** Where there is no browser: the profile as Chromium would have left it. */
export function writtenProfile({ machine, site }: BrowserParts): DemoBrowser {
  const profiles = chromiumProfiles(machine);
  const store = (profile: ProfileName) => join(profiles.path(profile), "Cookies");
  return {
    id: "chromium",
    words: "(no browser can be used here: the profile is written as Chromium would have left it)",
    real: false,
    store,
    async signIn(account, profile) {
      mkdirSync(profiles.path(profile), { recursive: true });
      writeProfile(store(profile), site.signIn(account));
      return true;
    },
  };
}

function writeProfile(path: string, token: string): void {
  const cookie = parseCookie({
    name: "session",
    value: token,
    domain: SITE,
    hostOnly: true,
    httpOnly: true,
    sameSite: "lax",
    sourceScheme: "nonsecure",
    expires: Date.now() + DAY_MS,
  });
  closeSync(openSync(path, "w", 0o600));
  using db = ForeignWriter.inPlace(path);
  // Without a keyring Chromium on Linux seals with a fixed key, elsewhere with one of the system's: there, not at all.
  const seal = createChromiumStore({ version: VERSION, keys: { v10: deriveSealingKey("peanuts", 1) } });
  db.exclusively(() => {
    db.exec(CHROMIUM_SCHEMA);
    db.run(
      "INSERT INTO meta VALUES ('version', ?), ('last_compatible_version', ?)",
      `${VERSION}`,
      `${VERSION}`,
    );
    writeCookies(db, {
      want: [cookie],
      gone: [],
      read: () => [],
      proves: () => true,
      hold: (placed) =>
        placed.map((one) =>
          process.platform === "linux"
            ? { value: "", sealed: seal.seal(one.cookie.value, one.hostKey) }
            : { value: one.cookie.value, sealed: new Uint8Array() },
        ),
    });
  });
}
