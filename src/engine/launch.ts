import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DeputyError } from "../kernel/index.ts";
import {
  callingAgent,
  engineEnvironment,
  type Environment,
  type HomePaths,
  homePaths,
  isRunning,
  prepareHome,
  readEnvironment,
  startDetached,
} from "../platform/index.ts";
import { EngineClient } from "./client.ts";
import { version } from "./version.ts";
import type { Hello } from "./wire.ts";

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

/** A connection to the running engine, if there is one. */
export async function findEngine(options: OpenEngine): Promise<EngineClient | undefined> {
  const env = readEnvironment();
  return EngineClient.connect(homePaths(env).socket, options.via, agentOf(options, env));
}

/** A connection to an engine of this version, started where none runs. */
export async function openEngine(options: OpenEngine): Promise<EngineClient> {
  const running = await findEngine(options);
  if (running !== undefined) {
    if (running.engine.version === version) return running;
    await stopEngine(running);
  }
  const env = readEnvironment();
  const paths = homePaths(env);
  prepareHome(paths);
  const pid = start(paths, engineEnvironment(env, isStartedByHand(options, env)));
  let gone = false;
  let until = Date.now() + START_PATIENCE_MS;
  while (Date.now() < until) {
    const client = await findEngine(options);
    if (client !== undefined) {
      // Another engine was quicker. Ours would give way by itself, but perhaps only after that one has stopped.
      if (client.engine.pid !== pid && isRunning(pid)) process.kill(pid, "SIGTERM");
      return client;
    }
    // Ours ends at once where another serves, which then answers soon; else it has failed.
    if (!gone && !isRunning(pid)) {
      gone = true;
      until = Date.now() + LAST_PATIENCE_MS;
    }
    await sleep(POLL_MS);
  }
  throw new DeputyError("ENGINE_UNREACHABLE", "The engine did not start", {
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
    env: { ...env, DEPUTY_HOME: paths.home, NODE_COMPILE_CACHE: env["NODE_COMPILE_CACHE"] ?? paths.cache },
    cwd: paths.home,
    log: paths.engineLog,
  });
}
