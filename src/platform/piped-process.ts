import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Environment } from "./environment.ts";
import { whenStarted } from "./when-started.ts";

/** A running program that talks on two extra descriptors: it reads 3 and writes 4. */
interface PipedProcess {
  readonly pid: number;
  readonly toChild: Writable;
  readonly fromChild: Readable;
  /** Resolves once it is gone, with the last of what it said on stderr. */
  readonly exited: Promise<{ status: number | null; said: string }>;
  kill(signal: "SIGTERM" | "SIGKILL"): void;
}

const KEPT_OF_STDERR = 4096;

export async function startPiped(
  argv: readonly [string, ...string[]],
  options: { env: Environment; cwd?: string },
): Promise<PipedProcess> {
  const [program, ...args] = argv;
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
    env: options.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-KEPT_OF_STDERR);
  });
  const exited = Promise.withResolvers<{ status: number | null; said: string }>();
  child.on("close", (status) => exited.resolve({ status, said }));
  const pid = await whenStarted(child, program);
  const [, , , toChild, fromChild] = child.stdio;
  return {
    pid,
    toChild: toChild as Writable,
    fromChild: fromChild as Readable,
    exited: exited.promise,
    kill: (signal) => child.kill(signal),
  };
}
