import type { BrowserParts, DemoBrowser, ProfileName } from "./demo-browser.ts";
import { realChromium } from "./real-chromium.ts";
import { realFirefox } from "./real-firefox.ts";
import { writtenProfile } from "./written-profile.ts";

/** Signs in with the first browser that can, and tells which that was. */
export async function signIn(
  parts: BrowserParts,
  account: string,
  profile: ProfileName,
): Promise<DemoBrowser> {
  for (const make of [realChromium, realFirefox]) {
    const browser = make(parts);
    if (browser !== undefined && (await leftProfile(browser, account, profile, parts))) return browser;
  }
  const written = writtenProfile(parts);
  await written.signIn(account, profile);
  return written;
}

/** A browser that is there and cannot run (no display libraries, a sandbox that forbids it) is as good as none. */
async function leftProfile(
  browser: DemoBrowser,
  account: string,
  profile: ProfileName,
  { programs }: BrowserParts,
): Promise<boolean> {
  try {
    return await browser.signIn(account, profile);
  } catch {
    programs.signal.throwIfAborted();
    return false;
  }
}
