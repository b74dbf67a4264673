import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../../platform/index.ts";
import type { BrowserParts, DemoBrowser, ProfileName } from "./demo-browser.ts";

const NAMES = ["firefox", "firefox-esr"];
const TIMEOUT_MS = 30_000;
const PREFERENCES = {
  "network.dns.forceResolve": "127.0.0.1",
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
  "toolkit.telemetry.enabled": false,
};

/** The Firefox of this machine. On Linux only: elsewhere it is not on PATH. */
export function realFirefox({ machine, site, programs }: BrowserParts): DemoBrowser | undefined {
  const program = NAMES.map((name) => findProgram(name, machine.env)).find((path) => path !== undefined);
  if (program === undefined || process.platform !== "linux") return undefined;
  const root = join(machine.home, ".mozilla", "firefox");
  const path = (profile: ProfileName) => join(root, profile.toLowerCase());
  const store = (profile: ProfileName) => join(path(profile), "cookies.sqlite");
  return {
    id: "firefox",
    words: "with Firefox, in a profile of its own, and closes it",
    real: true,
    store,
    async signIn(account, profile) {
      mkdirSync(path(profile), { recursive: true });
      writeFileSync(join(root, "profiles.ini"), ["Home", "Work"].map(section).join("\n"));
      const lines = Object.entries(PREFERENCES).map(
        ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
      );
      writeFileSync(join(path(profile), "user.js"), lines.join("\n"));
      // It looks at the page once, and ends.
      const look = ["--screenshot", join(path(profile), "page.png"), site.url(`/sign-in?as=${account}`)];
      await programs.run([program, "--headless", "--no-remote", "-profile", path(profile), ...look], {
        env: machine.env,
        timeoutMs: TIMEOUT_MS,
      });
      return site.tokenOf(account) !== undefined && existsSync(store(profile));
    },
  };
}

function section(name: string, i: number): string {
  return `[Profile${i}]\nName=${name}\nIsRelative=1\nPath=${name.toLowerCase()}\n`;
}
