import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../platform/index.ts";
import { startPiped } from "../platform/index.ts";
import { type CdpConnection, createCdpConnection } from "./connection.ts";
import { createPipeTransport } from "./pipe-transport.ts";

interface LaunchOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** What starts the program, such as a jail. It must hand on the descriptors 3 and 4. */
  readonly within?: readonly string[];
  readonly env: Environment;
  readonly timeoutMs?: number;
}

export interface LaunchedBrowser extends AsyncDisposable {
  readonly pid: number;
  readonly connection: CdpConnection;
  readonly exited: Promise<{ status: number | null; said: string }>;
  /** Asks the browser to close, so that it saves what it has, and insists after a while. */
  close(): Promise<void>;
}

const PATIENCE_MS = 10_000;

/** Starts a Chromium that only this process can steer: by a pipe, with no port for others to find. */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  const [first = options.program, ...rest] = options.within ?? [];
  const program = options.within === undefined ? [] : [options.program];
  const child = await startPiped([first, ...rest, ...program, "--remote-debugging-pipe", ...options.args], {
    env: options.env,
  });
  const transport = createPipeTransport({ toBrowser: child.toChild, fromBrowser: child.fromChild });
  const connection = createCdpConnection(
    transport,
    options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs },
  );
  async function close(): Promise<void> {
    await connection.call("Browser.close").catch(() => {}); // It may be gone, or go before it answers.
    const patience = new AbortController();
    const ended = await Promise.race([
      child.exited.then(() => true),
      sleep(PATIENCE_MS, false, { signal: patience.signal }).catch(() => false),
    ]);
    patience.abort();
    if (!ended) child.kill("SIGKILL");
    await child.exited;
    await connection.close();
  }
  return { pid: child.pid, connection, exited: child.exited, close, [Symbol.asyncDispose]: close };
}
