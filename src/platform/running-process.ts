import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Environment } from "./environment.ts";

/** A program that runs beside this one and talks on its standard streams. */
export interface RunningProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once it is gone, with its status: null where a signal ended it or it never started. */
  readonly exited: Promise<number | null>;
  kill(signal: "SIGINT" | "SIGTERM" | "SIGKILL"): void;
}

/** Starts a program that no Ctrl-C at the terminal reaches: whoever started it says when it ends. */
export function startProcess(
  argv: readonly [string, ...string[]],
  options: { readonly env: Environment },
): RunningProcess {
  const [program, ...args] = argv;
  const child = spawn(program, args, { stdio: "pipe", env: options.env, detached: true, windowsHide: true });
  const exited = Promise.withResolvers<number | null>();
  child.on("error", () => exited.resolve(null));
  child.on("close", (status) => exited.resolve(status));
  child.stdin.on("error", () => {}); // It may end without reading what it was given.
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exited: exited.promise,
    kill: (signal) => child.kill(signal),
  };
}
