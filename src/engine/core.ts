import { ActivityLog, type LogSeal } from "../access/index.ts";
import { type Clock, DeputyError, systemClock } from "../kernel/index.ts";
import type { Environment, Hardening, HomePaths } from "../platform/index.ts";
import type { Vault } from "../vault/index.ts";
import { Activity } from "./log/activity.ts";
import { createKeyCalls } from "./vault/key-calls.ts";
import { LastResults } from "./delivery/last-results.ts";
import { createLogCalls } from "./log/log-calls.ts";
import { createLogSeal } from "./log/log-seal.ts";
import type { Calls, EngineStatus, Methods } from "./methods.ts";
import type { NetworkSettings } from "./network.ts";
import { createVaultCalls, vaultStatus } from "./vault/vault-calls.ts";
import { VaultDoor } from "./vault/vault-door.ts";
import { version } from "./version.ts";

export interface EngineParts {
  readonly env: Environment;
  readonly paths: HomePaths;
  readonly hardening: Hardening;
  readonly network: NetworkSettings;
  readonly connections: () => number;
  readonly stop: () => void;
  readonly clock?: Clock;
}

export type Core = ReturnType<typeof createCore>;

/** What is there from the engine's first moment: the vault, the log of who did what, and word of the engine itself. */
export function createCore(parts: EngineParts) {
  const clock = parts.clock ?? systemClock;
  const started = clock.now();
  const door = new VaultDoor({ paths: parts.paths, clock });
  const seals = new WeakMap<Vault, LogSeal>();
  const seal = async () => seals.getOrInsertComputed(await door.get(), createLogSeal);
  const log = new ActivityLog({ path: parts.paths.activityLog, clock, seal });
  const results = new LastResults({ paths: parts.paths, clock });
  let lastError: EngineStatus["last_error"] = null;

  const engineStatus = async (): Promise<EngineStatus> => ({
    running: true,
    pid: process.pid,
    version,
    uptime_ms: clock.now() - started,
    memory_bytes: process.memoryUsage.rss(),
    connections: parts.connections(),
    last_error: lastError,
    hardening: parts.hardening,
    overrides: parts.network.inForce,
  });

  return {
    clock,
    door,
    log,
    activity: new Activity(log),
    results,
    calls: {
      ...createKeyCalls(door),
      ...createLogCalls(log),
      ...createVaultCalls(door, clock),
      "engine.status": engineStatus,
      "engine.stop": async () => {
        setImmediate(parts.stop); // after the answer has been written
        return { stopping: true };
      },
      status: async () => ({
        home: parts.paths.home,
        engine: await engineStatus(),
        vault: await vaultStatus(door),
        agents: countAgents(log),
        deliveries: results.deliveries,
        peers: results.contacts,
      }),
    } satisfies Partial<Calls<keyof Methods>>,
    /** Remembers a fault of our own for `engine status`. */
    noteFault(where: string) {
      lastError = { at: new Date(clock.now()).toISOString(), message: where };
    },
    async [Symbol.asyncDispose]() {
      results[Symbol.dispose]();
      await log[Symbol.asyncDispose]();
      await door[Symbol.asyncDispose]();
    },
  };
}

/** Null where the log cannot be read: doctor says why. */
function countAgents(log: ActivityLog): number | null {
  try {
    return log.agents().filter(({ kind }) => kind === "agent").length;
  } catch (error) {
    if (error instanceof DeputyError) return null;
    throw error;
  }
}
