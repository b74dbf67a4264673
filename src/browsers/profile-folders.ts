import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../platform/index.ts";
import type { BrowserEntry } from "./catalogue.ts";

/** The folders a browser may have profiles in on this system, whether or not they exist. */
export function profileFolders(entry: BrowserEntry, platform: NodeJS.Platform, env: Environment): string[] {
  const system = platform === "darwin" || platform === "win32" ? platform : "linux";
  const places = placesOf(system, env);
  return (entry.folders[system] ?? []).map((folder) => {
    const [place = "", below = ""] = folder.split(":", 2);
    return join(places[place] ?? "", below);
  });
}

function placesOf(system: "linux" | "darwin" | "win32", env: Environment): Record<string, string> {
  const home = (system === "win32" ? env["USERPROFILE"] : undefined) || env["HOME"] || homedir();
  return {
    home,
    config: env["XDG_CONFIG_HOME"] || join(home, ".config"),
    support: join(home, "Library", "Application Support"),
    local: env["LOCALAPPDATA"] || join(home, "AppData", "Local"),
    roaming: env["APPDATA"] || join(home, "AppData", "Roaming"),
    flatpak: join(home, ".var", "app"),
    snap: join(home, "snap"),
  };
}
