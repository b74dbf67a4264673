/** The engine process. Started by `launch.ts`, ended by `deputy engine stop`, idleness or a signal. */
import { rmSync } from "node:fs";
import {
  environmentOverrides,
  FileLock,
  harden,
  homePaths,
  prepareHome,
  readEnvironment,
} from "../platform/index.ts";
import { createEngine } from "./engine.ts";
import { readConfig } from "./config.ts";
import { EngineServer, faultOf } from "./server.ts";

process.umask(0o077);
const env = readEnvironment();
const paths = homePaths(env);
prepareHome(paths);

const log = (line: string) => console.log(`${new Date().toISOString()} ${line}`);

// Held until this process ends, however it ends: two starts at once give one engine.
const lock = FileLock.tryTake(paths.engineLock);
if (lock === undefined) process.exit(0);

const hardening = harden();
const config = readConfig(paths.config);
const engine = createEngine({
  env,
  paths,
  hardening,
  overrides: environmentOverrides(env),
  config,
  connections: () => server.connections,
  stop: () => void stop("asked to"),
});
const server = await EngineServer.listen({
  socket: paths.socket,
  handle: engine.handle,
  onFault: (where) => {
    log(`fault: ${where}`);
    engine.noteFault(where);
  },
});
log(`started, pid ${process.pid}`);

const idleLimitMs = config.value.engine.idle_minutes * 60_000;
const idleTimer = setInterval(() => {
  if (server.idleMs > idleLimitMs) void stop("idle");
}, Math.min(idleLimitMs, 60_000) / 4);

let stopping = false;
async function stop(why: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log(`stopping: ${why}`);
  clearInterval(idleTimer);
  await server[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
  rmSync(paths.socket, { force: true });
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
