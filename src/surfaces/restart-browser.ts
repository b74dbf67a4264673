import { readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { findBrowserUse } from "../chromium/index.ts";
import { DeputyError } from "../kernel/index.ts";
import { startDetached } from "../platform/index.ts";

const PATIENCE_MS = 30_000;

/** Starts the browser again as it was started, with the pages it had. */
export type StartAgain = () => void;

/**
 * Asks the browser of a user data folder to quit and waits until it has, so that it saves what it has. Undefined where
 * none runs.
 */
export async function quitBrowser(userData: string, log: string): Promise<StartAgain | undefined> {
  const use = await findBrowserUse(userData);
  if (use.kind !== "running") return undefined;
  if (process.platform !== "linux")
    throw new DeputyError("UNSUPPORTED", "Deputy restarts browsers only on Linux yet", {
      hint: "Quit the browser: the cookies are delivered then.",
    });
  const start = startAgain(use.pid, userData, log);
  process.kill(use.pid, "SIGTERM");
  const until = Date.now() + PATIENCE_MS;
  while ((await findBrowserUse(userData)).kind === "running") {
    if (Date.now() > until)
      throw new DeputyError("TIMEOUT", "The browser did not quit when it was asked to", {
        hint: "It may be asking something. Quit it yourself: the cookies are delivered then.",
      });
    await sleep(50);
  }
  return start;
}

function startAgain(pid: number, userData: string, log: string): StartAgain {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8");
  const environ = read("environ").split("\0");
  const env = Object.fromEntries(
    environ
      .filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const [program, cwd] = [readlinkSync(`/proc/${pid}/exe`), readlinkSync(`/proc/${pid}/cwd`)];
  const flags = switchesOf(read("cmdline")).filter(
    (flag) => !/^--(user-data-dir|restore-last-session)\b/.test(flag),
  );
  const args = [...flags, `--user-data-dir=${userData}`, "--restore-last-session"];
  return () => void startDetached([program, ...args], { env, cwd, log });
}

/**
 * Chromium shows its command line as one text, words and values joined by spaces. Pages it was given come last; they
 * are open, and restored with the rest.
 */
function switchesOf(cmdline: string): string[] {
  const words = cmdline.split("\0").filter((word) => word !== "");
  if (words.length > 1) return words.slice(1).filter((word) => word.startsWith("--"));
  const [, ...pieces] = (words[0] ?? "").split(/ (?=--)/);
  return pieces.map((piece, i) => (i === pieces.length - 1 ? (piece.split(" ")[0] ?? piece) : piece));
}
