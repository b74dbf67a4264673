import { basename, isAbsolute, join, resolve, sep } from "node:path";
import { userDataOf } from "../chromium/index.ts";
import { DeputyError } from "../kernel/index.ts";
import type { BrowserProfile } from "./browser-profile.ts";
import { type BrowserId, catalogue } from "./catalogue.ts";
import { chromiumProfiles, isChromiumProfile } from "./chromium-profiles.ts";
import { firefoxProfile, isFirefoxProfile } from "./firefox-profiles.ts";
import { isSafariProfile, safariProfile } from "./safari-profiles.ts";

export interface WantedProfile {
  readonly browser?: string | undefined;
  /** A profile's name, the name of its folder, or the path of its folder. */
  readonly profile?: string | undefined;
}

/** The one profile meant, or BROWSER_NOT_FOUND with what there is. */
export function findProfile(profiles: readonly BrowserProfile[], wanted: WantedProfile): BrowserProfile {
  const browser = wanted.browser?.toLowerCase();
  if (browser !== undefined && !catalogue.some(({ id }) => id === browser)) {
    const known = catalogue.map(({ id }) => id).join(", ");
    throw notFound(`Deputy knows no browser ${wanted.browser}`, `It knows ${known}.`);
  }
  const ofBrowser = profiles.filter((one) => browser === undefined || one.browser === browser);
  if (wanted.profile === undefined) {
    const first = ofBrowser.find(({ isDefault }) => isDefault) ?? ofBrowser[0];
    if (first === undefined) throw notFound(describe(wanted), thereIs(profiles));
    return first;
  }
  const isPath = /[/\\]/.test(wanted.profile);
  const atPath = () => profileAt(wanted.profile ?? "", ofBrowser, browser as BrowserId | undefined);
  const matches = ofBrowser.filter((one) => isCalled(one, wanted.profile));
  const [first, ...rivals] = matches;
  const meant = isPath ? (atPath() ?? first) : (first ?? atPath());
  if (meant === undefined) throw notFound(describe(wanted), thereIs(profiles));
  if (meant === first && rivals.length > 0)
    throw new DeputyError("BAD_INPUT", `${matches.length} profiles are called ${wanted.profile}`, {
      hint: `Name the browser too, or give the folder: ${matches.map(({ path }) => path).join(", ")}`,
    });
  return meant;
}

function isCalled(one: BrowserProfile, name: string | undefined): boolean {
  return one.profile === name || (one.container === undefined && one.folder === name);
}

/** A folder that holds cookies, or a user data folder, wherever it is. */
function profileAt(
  written: string,
  profiles: readonly BrowserProfile[],
  browser: BrowserId | undefined,
): BrowserProfile | undefined {
  const path = resolve(written);
  const known = profiles.find((one) => one.path === path);
  if (known !== undefined) return known;
  const family = catalogue.find(({ id }) => id === browser)?.family;
  if (isFirefoxProfile(path))
    return firefoxProfile(family === "firefox" && browser ? browser : "firefox", path);
  if (isSafariProfile(path)) return safariProfile(path, path);
  const id = family === "chromium" && browser ? browser : ownerOf(path, profiles);
  if (isChromiumProfile(path)) {
    const folder = basename(path);
    return { browser: id, family: "chromium", profile: folder, folder, path, isDefault: false };
  }
  const inside = chromiumProfiles(id, path);
  return inside.find(({ isDefault }) => isDefault) ?? inside[0];
}

/** Whose key opens a folder nobody listed: that of the browser whose user data it lies in, else Chromium's. */
function ownerOf(path: string, profiles: readonly BrowserProfile[]): BrowserId {
  const around = profiles.find(
    (one) => one.family === "chromium" && path.startsWith(join(userDataOf(one.path), sep)),
  );
  return around?.browser ?? "chromium";
}

function describe({ browser, profile }: WantedProfile): string {
  if (profile !== undefined && isAbsolute(profile)) return `There is no browser profile in ${profile}`;
  if (profile !== undefined) return `There is no ${browser ?? "browser"} profile called ${profile}`;
  return browser === undefined
    ? "There is no browser with cookies"
    : `There is no ${browser} profile with cookies`;
}

function thereIs(profiles: readonly BrowserProfile[]): string {
  if (profiles.length === 0) return "No browser profiles were found on this machine for this user.";
  const names = profiles.map(({ browser, profile }) => `${browser} ${profile}`);
  return `There is: ${[...new Set(names)].join(", ")}`;
}

function notFound(message: string, hint: string): DeputyError {
  return new DeputyError("BROWSER_NOT_FOUND", message, { hint });
}
