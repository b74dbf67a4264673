import { realpathSync } from "node:fs";
import { findChromium } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { type Environment, runProcess } from "../../platform/index.ts";

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
  const path = findChromium(env, named);
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
