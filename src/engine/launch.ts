import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DeputyError, systemCode } from "../kernel/index.ts";
import {
  callingAgent,
  engineEnvironment,
  type Environment,
  FileLock,
  type HomePaths,
  homePaths,
  isRunning,
  prepareHome,
  readEnvironment,
  startDetached,
} from "../platform/for-commands.ts";
import { EngineClient } from "./client.ts";
import { isOlder, version } from "./version.ts";
import { type Hello, WIRE } from "./wire.ts";

export type OpenEngine =
  | {
      /** Who calls is read off the environment: the owner, or the coding agent that runs this command. */
      readonly via: "cli";
      /** `deputy engine start`: the owner's overrides in the environment count. */
      readonly byHand?: boolean;
    }
  | {
      readonly via: "mcp";
      /** As the client said when it introduced itself. */
      readonly agent: { readonly name: string; readonly version?: string };
    };

const START_PATIENCE_MS = 30_000;
const STOP_PATIENCE_MS = 10_000;
const LAST_PATIENCE_MS = 2_000;
const POLL_MS = 5;
const TURN_POLL_MS = 50;

/** A connection to the running engine, if there is one. */
export async function findEngine(options: OpenEngine): Promise<EngineClient | undefined> {
  const env = readEnvironment();
  const paths = homePaths(env);
  try {
    return await EngineClient.connect(paths.socket, options.via, agentOf(options, env));
  } catch (error) {
    // Most likely it is the home that may not be entered, which says more.
    if (error instanceof Error && systemCode(error.cause) === "EACCES") prepareHome(paths);
    throw error;
  }
}

/**
 * A connection to an engine that this version can talk to, started where none runs. Of many who want one at once one starts it
 * and the others wait for that: engines started side by side would each take the longer to start, and all but one for nothing.
 */
export async function openEngine(options: OpenEngine): Promise<EngineClient> {
  const env = readEnvironment();
  const paths = homePaths(env);
  const until = Date.now() + START_PATIENCE_MS;
  for (;;) {
    const running = await findUsable(options);
    if (running !== undefined) return running;
    prepareHome(paths);
    using turn = takeTurn(paths);
    if (turn !== undefined) {
      // The one before may have started it since.
      return (await findUsable(options)) ?? (await startEngine(options, paths, env, until));
    }
    if (Date.now() > until) throw notStarted(paths);
    await sleep(TURN_POLL_MS);
  }
}

async function startEngine(
  options: OpenEngine,
  paths: HomePaths,
  env: Environment,
  latest: number,
): Promise<EngineClient> {
  const pid = start(paths, engineEnvironment(env, isStartedByHand(options, env)));
  let gone = false;
  let until = latest;
  while (Date.now() < until) {
    const client = await findUsable(options);
    if (client !== undefined) return client;
    // Ours ends at once where another serves, which then answers soon; else it has failed.
    if (!gone && !isRunning(pid)) {
      gone = true;
      until = Date.now() + LAST_PATIENCE_MS;
    }
    await sleep(POLL_MS);
  }
  throw notStarted(paths);
}

/**
 * The running engine, if this version can use it. One of an older version is stopped. A newer one is left alone: it was started
 * by a newer command, and who began before that was installed would otherwise take it away from everybody else.
 */
async function findUsable(options: OpenEngine): Promise<EngineClient | undefined> {
  const running = await findEngine(options);
  if (running === undefined || running.engine.version === version) return running;
  if (isOlder(running.engine.version, version)) {
    await stopEngine(running);
    return undefined;
  }
  if (running.engine.wire === WIRE) return running;
  running[Symbol.dispose]();
  throw new DeputyError(
    "UNSUPPORTED",
    `The engine is Deputy ${running.engine.version}, which this one (${version}) cannot talk to`,
    { hint: "Restart the program that started this Deputy, so that it starts the newer one." },
  );
}

/** Undefined while somebody else starts it. */
function takeTurn({ startLock }: HomePaths): FileLock | undefined {
  try {
    return FileLock.tryTake(startLock);
  } catch (cause) {
    throw new DeputyError("HOME_UNUSABLE", `Cannot start the engine: ${startLock} cannot be locked`, {
      hint: "Set DEPUTY_HOME to a folder of your own on a disk of this machine.",
      cause,
    });
  }
}

function notStarted(paths: HomePaths): DeputyError {
  return new DeputyError("ENGINE_UNREACHABLE", "The engine did not start", {
    hint: `Its log says why: ${paths.engineLog}`,
  });
}

/** Asks an engine to stop and waits until its process is gone: only then may its home be removed. */
export async function stopEngine(client: EngineClient): Promise<void> {
  using connection = client;
  await connection.call("engine.stop", {}).catch(() => {});
  await connection.closed();
  const until = Date.now() + STOP_PATIENCE_MS;
  while (isRunning(client.engine.pid) && Date.now() < until) await sleep(POLL_MS);
}

function agentOf(options: OpenEngine, env: Environment): Hello["agent"] {
  return options.via === "mcp" ? options.agent : callingAgent(env);
}

/** Whether a coding agent runs this command. Whatever it runs on, there is nobody to ask. */
export function isCalledByAgent(): boolean {
  return callingAgent(readEnvironment()) !== undefined;
}

/** An agent's environment decides nothing: it could send the owner's logins elsewhere. */
function isStartedByHand(options: OpenEngine, env: Environment): boolean {
  return options.via === "cli" && options.byHand === true && callingAgent(env) === undefined;
}

function start(paths: HomePaths, env: Environment): number {
  // import.meta.url ends in .ts in a source tree and in .js in the published package.
  const main = fileURLToPath(new URL(`./main${import.meta.url.slice(-3)}`, import.meta.url));
  const flags = ["--disable-sigusr1", "--disable-warning=ExperimentalWarning"];
  return startDetached([process.execPath, ...flags, main], {
    // Stripping types and compiling at every start costs more than the engine's own work.
    env: { ...env, DEPUTY_HOME: paths.home, NODE_COMPILE_CACHE: paths.cache },
    cwd: paths.home,
    log: paths.engineLog,
  });
}
