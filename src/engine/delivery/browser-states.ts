import type { Browsers, ReadWarning, WarningCode } from "../../browsers/index.ts";
import { foldDomain } from "../../vault/index.ts";
import type { BrowserState } from "./follow-logouts.ts";

/** What stands between Deputy and a whole store today, and perhaps not tomorrow. */
const PASSING: ReadonlySet<WarningCode> = new Set([
  "STORE_DENIED",
  "STORE_CHANGING",
  "STORE_DAMAGED",
  "STORE_FOREIGN",
  "STORE_TOO_LARGE",
  "STORE_TRUNCATED",
  "SESSION_STORE_UNREADABLE",
  "NO_KEY",
  "KEYRING_UNAVAILABLE",
  "KEY_MISSING",
]);

/** Whether what is missing from a read is not there. A deletion that is only a failure to read would log somebody out. */
export function isWhole(warnings: readonly ReadWarning[]): boolean {
  return !warnings.some(({ code }) => PASSING.has(code));
}

/** Every browser that can be read whole now. */
export async function readBrowserStates(browsers: Browsers): Promise<BrowserState[]> {
  const states: BrowserState[] = [];
  for (const profile of browsers.list()) {
    const { cookies, warnings } = await browsers.reader(profile).read();
    if (!isWhole(warnings)) continue;
    const byDomain = Map.groupBy(cookies, ({ domain }) => foldDomain(domain));
    const provider = `${profile.browser}/${profile.profile}`;
    states.push({ provider, cookiesAt: (domain) => byDomain.get(domain) ?? [] });
  }
  return states;
}
