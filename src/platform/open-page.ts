import { spawn } from "node:child_process";
import type { Environment } from "./environment.ts";
import { findProgram } from "./process.ts";

/** Whether a person would see a window opened from here. */
export function hasDisplay(env: Environment, platform: NodeJS.Platform = process.platform): boolean {
  if (platform === "darwin" || platform === "win32") return true;
  return Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
}

/** Opens a page in the person's own browser. False where that cannot be. */
export function openPage(url: string, env: Environment): boolean {
  if (!hasDisplay(env) || !/^https?:\/\//.test(url)) return false;
  const [name, ...args] = opener(url);
  const program = process.platform === "win32" ? name : findProgram(name, env);
  if (program === undefined) return false;
  const child = spawn(program, args, { detached: true, stdio: "ignore", env });
  child.on("error", () => {}); // the address is shown as well
  child.unref();
  return true;
}

function opener(url: string): [string, ...string[]] {
  switch (process.platform) {
    case "darwin":
      return ["open", url];
    case "win32":
      return ["explorer.exe", url];
    default:
      return ["xdg-open", url];
  }
}
