import { existsSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type BrowserProfile, shownName } from "./browser-profile.ts";
import type { BrowserId } from "./catalogue.ts";
import { firefoxContainers } from "./firefox-containers.ts";
import { type IniSection, parseIni } from "./ini.ts";
import { findSmallFile } from "./small-file.ts";

/** The profiles below a folder with a profiles.ini, and after each its containers, as profiles of their own. */
export function firefoxProfiles(browser: BrowserId, root: string): BrowserProfile[] {
  const listed = sectionsOf(join(root, "profiles.ini"));
  const installs = [
    ...sectionsOf(join(root, "installs.ini")),
    ...listed.filter(({ name }) => name.startsWith("Install")),
  ];
  const byInstall = new Set(
    installs.map(({ values }) => values.get("Default")).filter((path) => path !== undefined),
  );

  const profiles = new Map<string, BrowserProfile>();
  for (const { name, values } of listed) {
    const written = values.get("Path");
    if (!/^Profile\d+$/.test(name) || written === undefined) continue;
    const path = values.get("IsRelative") === "0" ? resolve(written) : resolve(root, written);
    // Since Firefox 67 each installation has its own default; before, the profile itself was marked.
    const isDefault = byInstall.size > 0 ? byInstall.has(written) : values.get("Default") === "1";
    profiles.set(path, firefoxProfile(browser, path, { name: values.get("Name"), isDefault }));
  }
  for (const path of unlisted(root))
    if (!profiles.has(path)) profiles.set(path, firefoxProfile(browser, path));
  return [...profiles.values()].filter(({ path }) => isFirefoxProfile(path)).flatMap(withContainers);
}

export function firefoxProfile(
  browser: BrowserId,
  path: string,
  { name, isDefault = false }: { name?: string | undefined; isDefault?: boolean } = {},
): BrowserProfile {
  const folder = basename(path);
  return { browser, family: "firefox", profile: shownName(name, folder), folder, path, isDefault };
}

function withContainers(profile: BrowserProfile): BrowserProfile[] {
  const containers = firefoxContainers(profile.path).map(({ id, name }) => ({
    ...profile,
    profile: `${profile.profile}/${name}`,
    isDefault: false,
    container: id,
  }));
  return [profile, ...containers];
}

export function isFirefoxProfile(folder: string): boolean {
  return existsSync(join(folder, "cookies.sqlite"));
}

function sectionsOf(path: string): IniSection[] {
  return parseIni(findSmallFile(path)?.toString("utf8") ?? "");
}

/** Firefox's newer profile switcher keeps its list elsewhere, but the folders lie here. */
function unlisted(root: string): string[] {
  return [root, join(root, "Profiles")].flatMap((folder) => {
    try {
      return readdirSync(folder)
        .map((name) => join(folder, name))
        .filter(isFirefoxProfile)
        .sort();
    } catch {
      return [];
    }
  });
}
