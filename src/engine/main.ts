/** The engine process. Started by `launch.ts`, ended by `deputy engine stop`, idleness or a signal. */
import { existsSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import {
  FileLock,
  harden,
  homePaths,
  prepareHome,
  readEnvironment,
  removeSocket,
} from "../platform/index.ts";
import { EngineClient } from "./client.ts";
import { readConfig } from "./config.ts";
import { LazyEngine } from "./lazy-engine.ts";
import { networkSettings } from "./network.ts";
import { EngineServer, faultOf } from "./server.ts";

/** Nobody has called for this long: a good time to load. */
const QUIET_MS = 2_000;
const LATEST_LOAD_MS = 30_000;

process.umask(0o077);
const env = readEnvironment();
const paths = homePaths(env);
prepareHome(paths);

const log = (line: string) => console.log(`${new Date().toISOString()} ${line}`);

const lock = await takeTurn();
if (lock === undefined) process.exit(0);

const hardening = harden();
const config = readConfig(paths.config);
const engine = new LazyEngine({
  env,
  paths,
  hardening,
  network: networkSettings(config.value, env),
  connections: () => server.connections,
  stop: () => void stop("asked to"),
});
const server = await EngineServer.listen({
  socket: paths.socket,
  handle: engine.handle,
  onLeave: (caller) => engine.left(caller),
  onFault: noteFault,
});
log(`started, pid ${process.pid}`);

const idleLimitMs = config.value.engine.idle_minutes * 60_000;
const idleTimer = setInterval(() => {
  if (server.idleMs > idleLimitMs && !engine.isWaiting()) void stop("idle");
}, Math.min(idleLimitMs, 60_000) / 4);

/**
 * In a quiet moment the rest is loaded, so that no call waits for it; and soon, because files of another version may be put in
 * the place of ours. What was compiled is kept now: an engine that is killed keeps nothing.
 */
const startedAt = Date.now();
const loader = setInterval(() => {
  if (server.idleMs < QUIET_MS && Date.now() - startedAt < LATEST_LOAD_MS) return;
  clearInterval(loader);
  void engine.load().then(
    () => flushCompileCache(),
    (error: unknown) => noteFault(faultOf(error)),
  );
}, QUIET_MS / 2);

function noteFault(where: string): void {
  log(`fault: ${where}`);
  engine.noteFault(where);
}

/**
 * The lock is held until a process ends, however it ends: two starts at once give one engine. Undefined when
 * another engine serves; one that is stopping is waited for.
 */
async function takeTurn(): Promise<FileLock | undefined> {
  for (let tries = 0; tries < 200; tries++) {
    const taken = FileLock.tryTake(paths.engineLock);
    if (taken !== undefined) return taken;
    using other = await EngineClient.connect(paths.socket, "cli").catch(() => undefined);
    if (other !== undefined) return undefined;
    await sleep(50);
  }
  return undefined;
}

/** Whoever removed the home wants no engine in it, and nobody can reach one whose socket is gone. */
setInterval(() => {
  if (process.platform !== "win32" && !existsSync(paths.socket)) void stop("its socket is gone");
}, 2_000).unref();

let stopping = false;
async function stop(why: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log(`stopping: ${why}`);
  clearInterval(idleTimer);
  clearInterval(loader);
  // Clients wait for their connection to end: it must be the last thing that does.
  server.stopListening();
  await engine[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  removeSocket(paths);
  lock?.[Symbol.dispose]();
  process.exit(0);
}

process.on("SIGTERM", () => void stop("SIGTERM"));
process.on("SIGINT", () => void stop("SIGINT"));
process.on("SIGHUP", () => {}); // the terminal that started us may close
process.on("uncaughtException", (error) => {
  log(`crash: ${faultOf(error)}`);
  process.exit(1);
});
