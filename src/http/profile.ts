import { platform } from "node:os";
import { type BrowserProfile, type EmulationOS, getEmulationHeaders, resolveProfile } from "wreq-js";

export type ProfileName = "chrome-desktop" | "chrome-mobile" | "safari-desktop";

/** A browser to be. Everything that names its version comes from the transport, so that TLS and headers never disagree. */
export interface Profile {
  readonly name: ProfileName;
  readonly family: "chrome" | "safari";
  readonly browser: BrowserProfile;
  readonly os: EmulationOS;
  /** The transport's own value of a header, such as `user-agent`; undefined where this browser does not send it. */
  find(header: string): string | undefined;
}

const FAMILIES = {
  "chrome-desktop": { family: "chrome", os: desktop() },
  "chrome-mobile": { family: "chrome", os: "android" },
  "safari-desktop": { family: "safari", os: "macos" },
} as const;

/** The newest browser of its family that the transport knows. */
export function profileOf(name: ProfileName): Profile {
  const { family, os } = FAMILIES[name];
  const browser = resolveProfile(family);
  const headers = new Map(getEmulationHeaders(browser, os).toTuples());
  return { name, family, browser, os, find: (header) => headers.get(header) };
}

/** The logins were made by a browser on this machine: what it says of itself should not change. */
function desktop(): EmulationOS {
  const systems: Partial<Record<NodeJS.Platform, EmulationOS>> = { darwin: "macos", win32: "windows" };
  return systems[platform()] ?? "linux";
}
