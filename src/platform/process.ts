import { spawn } from "node:child_process";
import { accessSync, constants, openSync, closeSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { DeputyError, systemCode } from "../kernel/index.ts";
import type { Environment } from "./environment.ts";
import { fileError } from "./file-error.ts";
import { whenStarted } from "./when-started.ts";

interface Finished {
  /** Null when a signal ended it. */
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

interface RunOptions {
  readonly env?: Environment;
  readonly cwd?: string;
  readonly input?: Uint8Array | string;
  readonly timeoutMs?: number;
  readonly maxOutput?: number;
  readonly signal?: AbortSignal;
}

/** Runs a program to its end. Its exit status is data; not starting, running too long or too much output throws. */
export async function runProcess(
  argv: readonly [string, ...string[]],
  options: RunOptions = {},
): Promise<Finished> {
  const [program, ...args] = argv;
  const timeoutMs = options.timeoutMs ?? 30_000;
  const maxOutput = options.maxOutput ?? 64 * 1024 * 1024;
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const { promise, resolve, reject } = Promise.withResolvers<Finished>();
  whenStarted(child, program).catch(reject);
  const stop = (error: DeputyError) => {
    reject(error);
    child.kill("SIGKILL");
  };
  const timer = setTimeout(() => stop(new DeputyError("TIMEOUT", `${program} took too long`)), timeoutMs);
  const onAbort = () => stop(new DeputyError("CANCELLED", `${program} was cancelled`));
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted) onAbort();

  let size = 0;
  const collect = (chunks: Buffer[]) => (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxOutput)
      stop(new DeputyError("TOO_LARGE", `${program} printed more than ${maxOutput} bytes`));
    else chunks.push(chunk);
  };
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  // One that could not be started may have no streams at all.
  if (child.pid !== undefined) {
    child.stdout.on("data", collect(out));
    child.stderr.on("data", collect(err));
    child.on("close", (status, signal) => {
      resolve({ status, signal, stdout: Buffer.concat(out), stderr: Buffer.concat(err) });
    });
    child.stdin.on("error", () => {}); // The program may end without reading what it was given.
    child.stdin.end(options.input ?? "");
  }
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
  }
}

interface DetachOptions {
  readonly env: Environment;
  readonly cwd: string;
  /** Both outputs are appended here. */
  readonly log: string;
}

/** Starts a program that outlives this process. Returns its id. */
export function startDetached(argv: readonly [string, ...string[]], options: DetachOptions): number {
  const [program, ...args] = argv;
  const log = openLog(options.log);
  try {
    const child = spawn(program, args, {
      detached: true,
      stdio: ["ignore", log, log],
      env: options.env,
      cwd: options.cwd,
    });
    child.on("error", () => {}); // Seen by the caller as an engine that never answers, with the log to read.
    child.unref();
    if (child.pid === undefined) throw new DeputyError("INTERNAL", `Cannot start ${program}`);
    return child.pid;
  } finally {
    closeSync(log);
  }
}

function openLog(path: string): number {
  try {
    return openSync(path, "a", 0o600);
  } catch (error) {
    throw fileError(error, path);
  }
}

/** Where a program is on PATH. */
export function findProgram(name: string, env: Environment): string | undefined {
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    if (folder === "") continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  return undefined;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !hasEnded(pid);
  } catch (error) {
    // EPERM: it is there, and not ours.
    return systemCode(error) === "EPERM";
  }
}

/** Ended, and only waiting for whoever started it to notice: in containers that can take seconds. Linux only. */
function hasEnded(pid: number): boolean {
  try {
    // proc(5): the state follows the name, which may itself contain brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
