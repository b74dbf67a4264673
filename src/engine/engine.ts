import { join } from "node:path";
import { createGrants } from "../access/index.ts";
import type { Connection } from "../auth/index.ts";
import { createBrowsers } from "../browsers/index.ts";
import { createExpressions } from "../expressions/index.ts";
import { createGraph } from "../graph/index.ts";
import { createHttp, systemAddresses, TransportPool } from "../http/index.ts";
import type { Caller } from "../kernel/index.ts";
import { createSkillProviders, type Skill } from "../skills/index.ts";
import { readConfig } from "./config.ts";
import { createCapabilityCalls } from "./skills/capability-calls.ts";
import { createCookieCalls } from "./browse/cookie-calls.ts";
import type { Core, EngineParts } from "./core.ts";
import { createDeliverCalls } from "./delivery/deliver-calls.ts";
import { checkSurfaces } from "./delivery/check-surfaces.ts";
import { createCurlCall } from "./browse/curl-call.ts";
import { examine } from "./doctor.ts";
import type { Calls, Methods } from "./methods.ts";
import { createGraphCalls } from "./graph/graph-calls.ts";
import { createGrantCalls } from "./grants/grant-calls.ts";
import { createGrantStore } from "./grants/grant-store.ts";
import { createLenders, LiveProviders } from "./logins/lenders.ts";
import { checkLog } from "./log/log-check.ts";
import { createLibrary } from "./skills/create-library.ts";
import { createLoginCalls } from "./logins/login-calls.ts";
import { createBrowseCalls } from "./browse/browse-calls.ts";
import { OWNER } from "./owner.ts";
import { createRememberRun } from "./skills/remember-run.ts";
import { faultOf } from "./server.ts";
import { createRunCalls } from "./skills/run-calls.ts";
import { createSetupCalls } from "./logins/setup-calls.ts";
import { cookieBorrow } from "./logins/site-borrow.ts";
import { createSessionCalls } from "./sessions/session-calls.ts";
import { createSkillRunner } from "./skills/skill-runner.ts";
import { createSkillCalls } from "./skills/skill-calls.ts";
import { createSkillsAt } from "./logins/skills-at.ts";
import { createSkillTestCalls } from "./skills/skill-test-calls.ts";
import { enabledSurfaces } from "./delivery/make-surfaces.ts";
import { createSyncCalls } from "./sync/sync-calls.ts";
import { vaultStatus } from "./vault/vault-calls.ts";

interface Engine extends AsyncDisposable {
  readonly calls: Calls<keyof Methods>;
  /** Whether something is to be done once a browser exits. */
  readonly isWaiting: () => boolean;
  /** A connection ended. */
  readonly left: (caller: Caller) => void;
}

/** The composition root: the one place that wires everything around the core. */
export function createEngine(parts: EngineParts, core: Core): Engine {
  const { clock, door, log, activity, results } = core;
  const browsers = createBrowsers({ env: parts.env, clock });
  const { overrides, roots, proxy } = parts.network;
  const pool = new TransportPool({ roots, proxy });
  const { watch, denials } = activity;
  const http = createHttp({ pool, clock, resolveAddresses: systemAddresses, overrides, watch });
  const network = { http, pool, env: parts.env };
  const expressions = createExpressions();
  const live = new LiveProviders();
  const { library, added } = createLibrary(parts.paths, expressions, () => skills.syntax());
  const fromSkills = createSkillProviders({
    library,
    runner: () => skills.runner,
    grants: () => grants(),
    clock,
  });
  const lender = createLenders({ door, browsers, http, pool, expressions, clock, live, fromSkills });
  const grants = async () =>
    activity.noting(createGrants({ store: createGrantStore(await door.get()), clock, denials }));
  const skillsAt = createSkillsAt({ library, grants, clock });
  const { env, paths } = parts;
  const skills = createSkillRunner({
    env,
    paths,
    door,
    library,
    lender,
    grants,
    expressions,
    clock,
    denials,
  });
  const graph = createGraph({ path: join(paths.home, "graph.db"), shapes: skills.shapes, clock });
  const remember = createRememberRun({ graph, shapes: skills.shapes, library });
  const identifyBy = (skill: Skill | null, connection: Connection) =>
    skills.runner.identifyBy(skill, connection, OWNER);
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
    onFault: (error) => core.noteFault(faultOf(error)),
  });
  const sync = createSyncCalls({
    door,
    browsers,
    paths,
    clock,
    policy: deliver.policy,
    refresh,
    network: parts.network,
    results,
    tls: () => readConfig(paths.config).value.sync.tls,
    async deliver() {
      if (enabledSurfaces(readConfig(paths.config).value.surfaces).length === 0) return [];
      const context = { caller: OWNER, signal: new AbortController().signal, progress: () => {} };
      return (await deliver.calls.deliver({}, context)).surfaces;
    },
  });
  const sessions = createSessionCalls({
    env,
    paths,
    door,
    browsers,
    skillsAt,
    lender,
    grants,
    identifyBy,
    network: parts.network,
    config: () => readConfig(paths.config).value,
    clock,
    contact: (host, method) => watch.contact(host, method),
  });
  const calls: Calls<keyof Methods> = {
    ...core.calls,
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
    ...createSetupCalls({ browsers, library }),
    ...createGrantCalls({ grants, library, clock }),
    ...createRunCalls({ ...skills, remember }),
    ...createGraphCalls({ graph, shapes: skills.shapes, library, door }),
    ...createSkillTestCalls({ ...skills, home: paths.home, library, clock }),
    ...createCapabilityCalls({ ...skills, library, door, grants, remember }),
    ...createSkillCalls({ library, added, expressions, door, paths: parts.paths, ...skills }),
    ...sync.calls,
    ...sessions.calls,
    doctor: async () =>
      examine({
        ...parts,
        overrides: parts.network.inForce,
        configProblem: () => readConfig(parts.paths.config).problem,
        keyring: door.keyring,
        vault: () => vaultStatus(door),
        log: () => checkLog(log),
        surfaces: () =>
          checkSurfaces({
            env,
            paths,
            policy: deliver.policy,
            config: readConfig(paths.config).value.surfaces,
            browsers,
            results,
            waiting: deliver.waiting,
          }),
        peers: sync.check,
      }),
  };

  return {
    calls,
    isWaiting: () => deliver.waiting.length > 0 || sessions.count > 0,
    left: (caller) => sessions.left(caller),
    async [Symbol.asyncDispose]() {
      await sessions[Symbol.asyncDispose]();
      await deliver[Symbol.asyncDispose]();
      await sync[Symbol.asyncDispose]();
      await skills[Symbol.asyncDispose]();
      await graph[Symbol.asyncDispose]();
      await expressions[Symbol.asyncDispose]();
      await pool[Symbol.asyncDispose]();
      browsers[Symbol.dispose]();
    },
  };
}
