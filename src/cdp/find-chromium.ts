import { existsSync } from "node:fs";
import { type Environment, findProgram } from "../platform/index.ts";

/** Names on PATH, and on macOS where applications are. */
const PROGRAMS = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "brave-browser",
  "microsoft-edge",
  "vivaldi-stable",
  ...["Google Chrome", "Chromium", "Brave Browser", "Microsoft Edge"].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
];

/** The program of the browser that was named, by its name or path; else of the first of Chromium's family there is. */
export function findChromium(env: Environment, named?: string): string | undefined {
  const there = (name: string) => (name.includes("/") ? existsSync(name) && name : findProgram(name, env));
  return (named === undefined ? PROGRAMS : [named]).map(there).find((path) => typeof path === "string");
}
