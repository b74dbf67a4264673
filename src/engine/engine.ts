import { join } from "node:path";
import { ActivityLog, createGrants, type LogSeal } from "../access/index.ts";
import type { Connection } from "../auth/index.ts";
import { createBrowsers } from "../browsers/index.ts";
import { createExpressions } from "../expressions/index.ts";
import { createGraph } from "../graph/index.ts";
import { createHttp, systemAddresses, TransportPool } from "../http/index.ts";
import { type Caller, type Clock, DeputyError, systemClock } from "../kernel/index.ts";
import type { Environment, Hardening, HomePaths } from "../platform/index.ts";
import { createSkillProviders, type Skill } from "../skills/index.ts";
import { Activity } from "./activity.ts";
import { readConfig } from "./config.ts";
import { createCapabilityCalls } from "./capability-calls.ts";
import { createCookieCalls } from "./cookie-calls.ts";
import { createDeliverCalls } from "./deliver-calls.ts";
import { checkSurfaces } from "./check-surfaces.ts";
import { createCurlCall } from "./curl-call.ts";
import { examine } from "./doctor.ts";
import type { Calls, EngineStatus, Methods } from "./methods.ts";
import type { Handler } from "./server.ts";
import { createGraphCalls } from "./graph-calls.ts";
import { createGrantCalls } from "./grant-calls.ts";
import { createGrantStore } from "./grant-store.ts";
import { createKeyCalls } from "./key-calls.ts";
import { LastResults } from "./last-results.ts";
import { createLenders, LiveProviders } from "./lenders.ts";
import { createLogCalls } from "./log-calls.ts";
import { checkLog } from "./log-check.ts";
import { createLogSeal } from "./log-seal.ts";
import { createLibrary } from "./create-library.ts";
import { createLoginCalls } from "./login-calls.ts";
import { createBrowseCalls } from "./browse-calls.ts";
import type { NetworkSettings } from "./network.ts";
import { requirePermitted } from "./permissions.ts";
import { createRememberRun } from "./remember-run.ts";
import { createRunCalls } from "./run-calls.ts";
import { cookieBorrow } from "./site-borrow.ts";
import { createSkillRunner } from "./skill-runner.ts";
import { createSkillCalls } from "./skill-calls.ts";
import { createSkillsAt } from "./skills-at.ts";
import { createSkillTestCalls } from "./skill-test-calls.ts";
import type { Vault } from "../vault/index.ts";
import { enabledSurfaces } from "./make-surfaces.ts";
import { createSyncCalls } from "./sync-calls.ts";
import { createVaultCalls, vaultStatus } from "./vault-calls.ts";
import { VaultDoor } from "./vault-door.ts";
import { version } from "./version.ts";

interface EngineParts {
  readonly env: Environment;
  readonly paths: HomePaths;
  readonly hardening: Hardening;
  readonly network: NetworkSettings;
  readonly connections: () => number;
  readonly stop: () => void;
  readonly clock?: Clock;
}

interface Engine extends AsyncDisposable {
  readonly handle: Handler;
  /** Whether something is to be done once a browser exits. */
  isWaiting(): boolean;
  /** Remembers a fault of our own for `engine status`. */
  noteFault(where: string): void;
}

/** Whoever types a command. */
const OWNER: Caller = { kind: "owner", agent: "owner", instance: "engine", via: "cli" };

/** The composition root: the one place that wires everything. */
export function createEngine(parts: EngineParts): Engine {
  const clock = parts.clock ?? systemClock;
  const started = clock.now();
  const door = new VaultDoor({ paths: parts.paths, clock });
  const browsers = createBrowsers({ env: parts.env, clock });
  const { overrides, roots, proxy } = parts.network;
  const pool = new TransportPool({ roots, proxy });
  const seals = new WeakMap<Vault, LogSeal>();
  const seal = async () => seals.getOrInsertComputed(await door.get(), createLogSeal);
  const log = new ActivityLog({ path: parts.paths.activityLog, clock, seal });
  const activity = new Activity(log);
  const { watch, denials } = activity;
  const http = createHttp({ pool, clock, resolveAddresses: systemAddresses, overrides, watch });
  const network = { http, pool, env: parts.env };
  const expressions = createExpressions();
  const live = new LiveProviders();
  const { library, added } = createLibrary(parts.paths, expressions);
  const fromSkills = createSkillProviders({
    library,
    runner: () => skills.runner,
    grants: () => grants(),
    clock,
  });
  const lender = createLenders({ door, browsers, http, pool, expressions, clock, live, fromSkills });
  const vault = () => vaultStatus(door);
  const grants = async () =>
    activity.noting(createGrants({ store: createGrantStore(await door.get()), clock, denials }));
  const skillsAt = createSkillsAt({ library, grants, clock });
  const { env, paths } = parts;
  const skills = createSkillRunner({ env, paths, door, library, lender, grants, expressions, clock });
  const graph = createGraph({ path: join(paths.home, "graph.db"), shapes: skills.shapes, clock });
  const remember = createRememberRun({ graph, shapes: skills.shapes, library });
  const identifyBy = (skill: Skill | null, connection: Connection) =>
    skills.runner.identifyBy(skill, connection, OWNER);
  const results = new LastResults({ paths, clock });
  const refresh = async (domain: string) => {
    const lending = await lender();
    const borrow = await cookieBorrow({ skillsAt, identifyBy }, lending, { url: `https://${domain}/` });
    return lending.find(borrow);
  };
  const deliver = createDeliverCalls({
    env,
    paths,
    door,
    browsers,
    clock,
    keyring: door.keyring,
    config: () => readConfig(paths.config).value.surfaces,
    refresh,
    results,
  });
  const sync = createSyncCalls({
    door,
    browsers,
    paths,
    clock,
    policy: deliver.policy,
    refresh,
    async deliver() {
      if (enabledSurfaces(readConfig(paths.config).value.surfaces).length === 0) return [];
      const context = { caller: OWNER, signal: new AbortController().signal, progress: () => {} };
      return (await deliver.calls.deliver({}, context)).surfaces;
    },
  });
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

  const methods: Calls<keyof Methods> = {
    ...createCookieCalls({
      browsers,
      door,
      clock,
      skillsAt,
      lender,
      grants,
      identifyBy,
      policy: () => deliver.policy.policy(),
    }),
    ...deliver.calls,
    ...createBrowseCalls({ door, library, skillsAt, lender, browsers, clock, identifyBy }),
    ...createCurlCall({ door, skillsAt, lender, grants, identifyBy }),
    ...createLoginCalls({
      ...network,
      door,
      library,
      skillsAt,
      lender,
      live,
      browsers,
      expressions,
      clock,
      identifyBy,
    }),
    ...createGrantCalls({ grants, library, clock }),
    ...createRunCalls({ ...skills, remember }),
    ...createGraphCalls({ graph, shapes: skills.shapes, library, door }),
    ...createSkillTestCalls({ ...skills, home: paths.home, library, clock }),
    ...createCapabilityCalls({ ...skills, library, door, grants, remember }),
    ...createSkillCalls({ library, added, expressions, door, paths: parts.paths }),
    ...createKeyCalls(door),
    ...createLogCalls(log),
    ...createVaultCalls(door, clock),
    ...sync.calls,
    "engine.status": engineStatus,
    "engine.stop": async () => {
      setImmediate(parts.stop); // after the answer has been written
      return { stopping: true };
    },
    status: async () => ({
      home: parts.paths.home,
      engine: await engineStatus(),
      vault: await vault(),
      agents: countAgents(log),
    }),
    doctor: async () =>
      examine({
        ...parts,
        overrides: parts.network.inForce,
        configProblem: () => readConfig(parts.paths.config).problem,
        keyring: door.keyring,
        vault,
        log: () => checkLog(log),
        surfaces: () =>
          checkSurfaces({
            env,
            paths,
            policy: deliver.policy,
            config: readConfig(paths.config).value.surfaces,
          }),
      }),
  };

  return {
    async handle(method, input, context) {
      return activity.during(method, input, context, async () => {
        requirePermitted(method, input, context.caller);
        return methods[method](input, context);
      });
    },
    isWaiting: () => deliver.waiting.length > 0,
    noteFault(where) {
      lastError = { at: new Date(clock.now()).toISOString(), message: where };
    },
    async [Symbol.asyncDispose]() {
      await deliver[Symbol.asyncDispose]();
      await sync[Symbol.asyncDispose]();
      results[Symbol.dispose]();
      await skills[Symbol.asyncDispose]();
      await graph[Symbol.asyncDispose]();
      await expressions[Symbol.asyncDispose]();
      await pool[Symbol.asyncDispose]();
      browsers[Symbol.dispose]();
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
