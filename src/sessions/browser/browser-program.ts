import { existsSync, realpathSync } from "node:fs";
import { DeputyError } from "../../kernel/index.ts";
import { type Environment, findProgram, runProcess } from "../../platform/index.ts";

const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "brave-browser",
  "microsoft-edge",
  ...["Google Chrome", "Chromium", "Brave Browser", "Microsoft Edge"].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
];

export interface BrowserProgram {
  readonly path: string;
  /** Links followed. */
  readonly real: string;
  /** The first part of its version. */
  readonly major: string;
}

/** The Chromium the owner named, else the first there is. */
export async function findBrowserProgram(
  named: string | undefined,
  env: Environment,
): Promise<BrowserProgram> {
  const there = (name: string) => (name.includes("/") ? existsSync(name) && name : findProgram(name, env));
  const path = (named === undefined ? NAMES : [named]).map(there).find((one) => typeof one === "string");
  if (path === undefined) {
    throw new DeputyError("BROWSER_NOT_FOUND", `There is no ${named ?? "Chromium"} on this machine`, {
      hint: "Install Chromium, or name one in config.yaml: browser: {program: /path/to/chrome}",
    });
  }
  const { stdout } = await runProcess([path, "--version"], { env, timeoutMs: 20_000 });
  const major = /(\d+)\.\d+\.\d+/.exec(stdout.toString())?.[1];
  if (major !== undefined) return { path, real: realpathSync(path), major };
  throw new DeputyError("BROWSER_NOT_FOUND", `${path} does not say which Chromium it is`, {
    hint: "Name one in config.yaml: browser: {program: /path/to/chrome}",
  });
}
