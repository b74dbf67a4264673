import type { Grants } from "../../access/index.ts";
import { createLoginStore, type Lender } from "../../auth/index.ts";
import type { Browsers } from "../../browsers/index.ts";
import { parseHostPattern } from "../../cookies/index.ts";
import { type Caller, type Clock, DeputyError, type Identity } from "../../kernel/index.ts";
import type { Environment, HomePaths } from "../../platform/index.ts";
import {
  type LiveSession,
  LoopbackEndpointServer,
  type ServedEndpoint,
  type SessionOwner,
  Sessions,
  type SessionSource,
  type SessionView,
  takePicture,
  type WriteBack,
} from "../../sessions/index.ts";
import { foldDomain } from "../../vault/index.ts";
import { BuiltInPermit } from "../grants/built-in-permit.ts";
import type { Config } from "../config.ts";
import type { CallContext, Calls } from "../methods.ts";
import type { NetworkSettings } from "../network.ts";
import { isOwner } from "../permissions.ts";
import { createSavedSessions } from "./saved-sessions.ts";
import { createCaptureCalls } from "./capture-calls.ts";
import { createSessionActCalls } from "./session-act-calls.ts";
import type { SessionMethods, SessionOpenInput, SessionRow } from "./session-methods.ts";
import { findSource, identityIn } from "./session-source.ts";
import type { IdentifyBy } from "../logins/site-borrow.ts";
import type { SkillsAt } from "../logins/skills-at.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly env: Environment;
  readonly paths: HomePaths;
  readonly door: VaultDoor;
  readonly browsers: Browsers;
  readonly skillsAt: SkillsAt;
  readonly lender: () => Promise<Lender>;
  readonly grants: () => Promise<Grants>;
  readonly identifyBy: IdentifyBy;
  readonly network: Pick<NetworkSettings, "overrides" | "proxy">;
  readonly config: () => Pick<Config, "browser" | "sessions">;
  readonly clock: Clock;
  /** The log is told where a session was. */
  readonly contact: (host: string, method: string) => void;
}

interface SessionCalls extends AsyncDisposable {
  readonly calls: Calls<keyof SessionMethods | "browse.capture">;
  /** How many there are: an engine with sessions is not idle. */
  readonly count: number;
  /** A connection ended. */
  left(caller: Caller): void;
}

/** Sessions for whoever calls: who may open what, and what the vault gives and takes back. */
export function createSessionCalls(parts: Parts): SessionCalls {
  const { door, clock, paths, env, network } = parts;
  const sessions = new Sessions({
    folder: `${paths.home}/sessions`,
    browser: () => ({
      ...parts.config().browser,
      env,
      home: paths.home,
      resolve: network.overrides,
      proxy: network.proxy,
    }),
    limits: () => limitsOf(parts.config().sessions),
    clock,
  });

  const sources = { ...parts, profileStorage: (profile: string) => sessions.profileStorage(profile) };
  const endpoints = new LoopbackEndpointServer();
  const addresses = new Map<string, Promise<ServedEndpoint>>();

  const permitFor = (caller: Caller, operation: string) =>
    BuiltInPermit.for(parts.grants, { caller, subject: "@session", operation, effect: "write" });

  /** What was granted when a session was opened must still be granted when it is used. */
  async function requireStill(caller: Caller, source: SessionSource, operation: string): Promise<void> {
    const identity = identityIn(source);
    if (identity !== null) (await permitFor(caller, operation)).requireIdentity(identity);
  }

  async function used(session: string, operation: string, { caller, signal }: CallContext) {
    const owner = ownerOf(caller);
    await requireStill(caller, sessions.sourceOf(owner, session), operation);
    return { owner, live: await sessions.live(owner, session, signal) };
  }

  async function mayExpose(caller: Caller, source: SessionSource, asked: boolean): Promise<boolean> {
    if (caller.kind === "owner") return asked;
    if (source.kind !== "identity") return false;
    const { domain, identifier: account } = source.identity;
    return (await parts.grants()).covers({
      caller,
      subject: "@session",
      pin: null,
      identity: { domain, account },
      operation: "open",
      effect: "write",
      needs: { expose: true },
    });
  }

  async function writeBackFor(input: SessionOpenInput, source: SessionSource): Promise<WriteBack | null> {
    const { write_back = false, deletions = false, adopt } = input;
    const vault = write_back || adopt !== undefined ? await door.get() : undefined;
    const to = (identity: Identity, domain: string): WriteBack => ({
      domain,
      deletions,
      async keep(changes) {
        createLoginStore({ vault: vault ?? (await door.get()), clock }).merge(identity, changes, "session");
      },
    });
    if (adopt !== undefined) {
      const domain = foldDomain(adopt);
      return to({ domain, identifier: `@session/${input.name ?? domain}` }, domain);
    }
    if (!write_back) return null;
    if (source.kind === "identity") return to(source.identity, source.identity.domain);
    throw new DeputyError("BAD_USAGE", "Only the session of an identity can write back", {
      hint: "Open it with --identity; with --blank, --adopt DOMAIN stores what is logged in to.",
    });
  }

  /** One address a session, however often it is asked for. */
  function served(live: LiveSession): Promise<ServedEndpoint> {
    return addresses.getOrInsertComputed(live.id, () => {
      void live.ended.then(() => addresses.delete(live.id));
      return endpoints.serve(live);
    });
  }

  return {
    calls: {
      "session.open": async (input, { caller, signal }) => {
        const permit = await permitFor(caller, "open");
        const mayUseSaved = (by: string) => by === caller.agent || isOwner(caller);
        const { source, seed } = await findSource(sources, input, permit, mayUseSaved, signal);
        const view = await sessions.open(
          {
            owner: ownerOf(caller),
            source,
            seed,
            name: input.name ?? "",
            url: input.url,
            allow: input.allow?.map(parseHostPattern) ?? null,
            expose: await mayExpose(caller, source, input.expose === true),
            writeBack: await writeBackFor(input, source),
          },
          signal,
        );
        return rowOf(view);
      },

      "session.tab": async ({ session, url = "about:blank" }, context) => {
        const { owner } = await used(session, "tab", context);
        return sessions.tab(owner, session, url, context.signal);
      },

      "session.list": async (_input, { caller }) => (await sessions.list(ownerOf(caller))).map(rowOf),

      "session.dispose": async ({ session }, { caller }) => {
        await sessions.dispose(ownerOf(caller), session);
        return { disposed: session };
      },

      "session.endpoint": async ({ session }, context) => {
        const { live } = await used(session, "endpoint", context);
        const url = (await served(live)).url;
        const { expireMs } = limitsOf(parts.config().sessions);
        return { url, expires: new Date(clock.now() + expireMs).toISOString() };
      },

      "session.view": async ({ session, tab }, context) => {
        const { live } = await used(session, "view", context);
        return takePicture(live, tab);
      },

      ...createSessionActCalls({ used, contact: parts.contact }),
      ...createCaptureCalls({ sessions, ownerOf, used, contact: parts.contact }),

      "session.save": async ({ session, name }, context) => {
        const { owner } = await used(session, "save", context);
        const state = await sessions.state(owner, session, context.signal);
        const saved = createSavedSessions(await door.get(), clock);
        return saved.save(name, { ...state, agent: context.caller.agent, at: clock.now() });
      },

      "session.saved": async (_input, { caller }) => {
        const all = createSavedSessions(await door.get(), clock).list();
        return all.filter(({ agent }) => agent === caller.agent || isOwner(caller));
      },

      "session.forget": async ({ name }, { caller }) => {
        const saved = createSavedSessions(await door.get(), clock);
        const found = saved.find(name);
        if (found === undefined || (found.agent !== caller.agent && !isOwner(caller)))
          throw new DeputyError("NOT_FOUND", `You have saved no session as ${name}`, {
            hint: "See deputy session list --saved",
          });
        saved.forget(name);
        return { forgotten: name };
      },
    },
    get count() {
      return sessions.count;
    },
    left: (caller) => sessions.left(ownerOf(caller)),
    async [Symbol.asyncDispose]() {
      await sessions[Symbol.asyncDispose]();
      await endpoints[Symbol.asyncDispose]();
    },
  };
}

/** A command is a connection of its own: what one opened, the agent's next one may use. */
function ownerOf(caller: Caller): SessionOwner {
  const { agent, instance, via } = caller;
  const bound = via !== "cli";
  return { key: bound ? instance : `cli ${agent}`, agent, bound, seesAll: isOwner(caller) };
}

function limitsOf(config: Config["sessions"]) {
  const { concurrent, per_agent, idle_minutes, expire_minutes, grace_seconds } = config;
  return {
    concurrent,
    perAgent: per_agent,
    sleepMs: idle_minutes * 60_000,
    expireMs: expire_minutes * 60_000,
    graceMs: grace_seconds * 1000,
  };
}

function rowOf({ created, used, ...view }: SessionView): SessionRow {
  return { ...view, created_at: new Date(created).toISOString(), used_at: new Date(used).toISOString() };
}
