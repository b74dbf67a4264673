import { existsSync } from "node:fs";
import { chromiumStorePath } from "../../chromium/index.ts";
import { findProgram } from "../../platform/index.ts";
import { chromiumProfiles } from "./chromium-profiles.ts";
import type { BrowserParts, DemoBrowser } from "./demo-browser.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const TIMEOUT_MS = 30_000;
const FLAGS = [
  "--headless=new",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--password-store=basic",
  "--host-resolver-rules=MAP * 127.0.0.1",
];

/** The Chromium of this machine. On Linux only: elsewhere its cookies are sealed with the person's own keychain. */
export function realChromium({ machine, site, programs }: BrowserParts): DemoBrowser | undefined {
  const program = NAMES.map((name) => findProgram(name, machine.env)).find((path) => path !== undefined);
  if (program === undefined || process.platform !== "linux") return undefined;
  const profiles = chromiumProfiles(machine);
  // Chromium's own sandbox does not work for root.
  const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const store = (profile: "Home" | "Work") => chromiumStorePath(profiles.path(profile));
  return {
    id: "chromium",
    words: "with Chromium, in a profile of its own, and closes it",
    real: true,
    store,
    async signIn(account, profile) {
      const place = [
        `--user-data-dir=${profiles.userData}`,
        `--profile-directory=${profiles.folder(profile)}`,
      ];
      const page = ["--dump-dom", site.url(`/sign-in?as=${account}`)]; // prints the page and ends
      const { stdout } = await programs.run([program, ...FLAGS, ...root, ...place, ...page], {
        env: machine.env,
        timeoutMs: TIMEOUT_MS,
      });
      return stdout.includes(`Notes of ${account}`) && existsSync(store(profile));
    },
  };
}
