import { readFileSync, readlinkSync } from "node:fs";
import { connect } from "node:net";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { isRunning } from "../platform/index.ts";

/** Names and meaning: chrome/browser/process_singleton_posix.cc. The lock is a link to `<host>-<pid>`. */
export const SINGLETON = {
  lock: "SingletonLock",
  socket: "SingletonSocket",
  cookie: "SingletonCookie",
} as const;
/** Chromium takes what is no number for no process, and so never kills the one that holds the lock for us. */
export const OUR_MARK = "deputy";

export type BrowserUse =
  | { readonly kind: "closed" }
  | { readonly kind: "running"; readonly pid: number }
  /** A user data folder on a shared disk. */
  | { readonly kind: "elsewhere"; readonly host: string }
  | { readonly kind: "ours" };

const CONNECT_MS = 1000;

/** Whether a browser has this user data folder open. What a crashed one left behind does not count. */
export async function findBrowserUse(userData: string): Promise<BrowserUse> {
  const target = linkTarget(join(userData, SINGLETON.lock));
  if (target === undefined) return { kind: "closed" };
  const at = target.lastIndexOf("-");
  const [host, holder] = [target.slice(0, at), target.slice(at + 1)];
  if (holder.startsWith(OUR_MARK))
    return isRunning(Number(holder.slice(OUR_MARK.length))) ? { kind: "ours" } : { kind: "closed" };
  if (at < 0 || host === "") return { kind: "closed" };
  if (host !== hostname()) return { kind: "elsewhere", host };
  const pid = Number(holder);
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid)) return { kind: "closed" };
  const answers = await accepts(join(userData, SINGLETON.socket));
  return answers || looksLikeBrowser(pid) ? { kind: "running", pid } : { kind: "closed" };
}

/** The address a running browser can be steered at, where it was started so. */
export function findDebugAddress(userData: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(join(userData, "DevToolsActivePort"), "utf8");
  } catch {
    return undefined;
  }
  // content/browser/devtools/devtools_http_handler.cc: the port, then the path with the browser's own id.
  const [port = "", path = ""] = text.split("\n");
  return /^\d{1,5}$/.test(port) && path.startsWith("/devtools/browser/")
    ? `ws://127.0.0.1:${port}${path}`
    : undefined;
}

export function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function accepts(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path);
  socket.setTimeout(CONNECT_MS, () => resolve(false));
  socket.on("connect", () => resolve(true));
  socket.on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** The number may belong to another program since the browser crashed. Where nobody can say, it is the browser. */
function looksLikeBrowser(pid: number): boolean {
  if (process.platform !== "linux") return true;
  const program = linkTarget(`/proc/${pid}/exe`);
  return program === undefined || /chrom|brave|edge|vivaldi|opera/i.test(basename(program));
}
