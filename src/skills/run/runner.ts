import type { DenialLog, Grants } from "../../access/index.ts";
import type { Connection, Identify, Lender, Loan, NewSecret } from "../../auth/index.ts";
import type { Expressions } from "../../expressions/index.ts";
import type { ShapeBook } from "../../graph/index.ts";
import { type Caller, type Clock, DeputyError, type Identity } from "../../kernel/index.ts";
import type { ExecutorParts } from "../executors/executor-parts.ts";
import type { HostPool } from "../hosts/host-pool.ts";
import { type SkillFiles, stripSkillFiles } from "../hosts/skill-files.ts";
import { readPinned } from "../library/skill-folder.ts";
import type { SkillLibrary } from "../library/skill-library.ts";
import { nearest } from "../nearest.ts";
import { coerceParams } from "../params.ts";
import type { Operation, Skill } from "../skill.ts";
import { CallTree } from "./call-tree.ts";
import { chooseConnection, isLoginStep } from "./choose-connection.ts";
import { executeRun, type Frame } from "./execute-run.ts";
import { readIdentity } from "./read-identity.ts";
import { PendingJars } from "./pending-jars.ts";
import { Permit } from "./permit.ts";
import type { RunDone, RunRequest } from "./run-request.ts";
import type { SkillState } from "./skill-state.ts";

export interface RunnerParts {
  readonly library: SkillLibrary;
  readonly lender: () => Promise<Lender>;
  readonly grants: () => Promise<Grants>;
  readonly expressions: Expressions;
  /** Started when the first skill with code runs. */
  readonly hosts: () => Promise<HostPool>;
  readonly executors: () => Promise<ExecutorParts>;
  readonly shapes: () => ShapeBook;
  readonly state: () => SkillState;
  /** Puts what a skill obtained into the vault. */
  readonly keep: (secret: NewSecret) => Promise<Identity>;
  /** The identity namespace a host belongs to. */
  readonly fold: (host: string) => string;
  readonly clock: Clock;
  /** Told of what code was refused, whatever it makes of that. */
  readonly denials?: DenialLog;
}

export interface Runner {
  run(request: RunRequest): Promise<RunDone>;
  /** An operation that supplies logins, for the resolver and nobody else. Its result is full of secrets. */
  supply(
    skill: Skill,
    operation: Operation,
    asked: { readonly domain: string; readonly params: Readonly<Record<string, unknown>> },
  ): Promise<unknown>;
  /** A skill's own way to say whose login it has; undefined where it has none. */
  identifyBy(skill: Skill | null, connection: Connection, caller: Caller): Identify | undefined;
}

/** What a skill may do for it is what the owner allowed the skill. */
export const RESOLVER: Caller = { kind: "owner", agent: "owner", instance: "resolver", via: "cli" };

/** Every call that needs a login waits for those that supply some. */
const LONGEST_SUPPLY_MS = 10_000;

/** Runs operations: who may, as whom, with what, once more where a login was refused, and what of the result is whose. */
export function createRunner(parts: RunnerParts): Runner {
  const pending = new PendingJars(parts.clock);
  /** Types taken out once for each content: most runs find their files ready. */
  const prepared = new WeakMap<Skill, SkillFiles>();
  const files = (skill: Skill) => {
    const known = prepared.get(skill) ?? stripSkillFiles(readPinned(skill));
    prepared.set(skill, known);
    return known;
  };

  async function run(request: RunRequest): Promise<RunDone> {
    const skill = await parts.library.get(request.skill);
    return start(skill, runnable(skill, request.operation), request, CallTree.begin());
  }

  async function start(
    skill: Skill,
    operation: Operation,
    request: RunRequest,
    tree: CallTree,
    supplies?: string,
  ): Promise<RunDone> {
    const started = performance.now();
    const { connection, params: given } = chooseConnection(skill, operation, request);
    const params = coerceParams(operation, given);
    const { caller } = request;
    const permit = new Permit({ grants: await parts.grants(), caller, skill, operation, supplies });
    const frame: Frame = {
      skill,
      operation,
      params,
      connection,
      request,
      permit,
      pending,
      since: parts.clock.now(),
      started,
      checks: false,
      tree,
      call: (name, inner, signal) => sibling(frame, name, inner, signal, tree.deeper(skill.id)),
    };
    return withLoan(frame, (loan) => executeRun(frame, loan, { ...parts, files }));
  }

  /** The same skill, the same account, the same caller: what a grant does not cover for one it does not for the other. */
  async function sibling(
    { skill, request }: Frame,
    name: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    tree: CallTree,
  ): Promise<unknown> {
    const { connection: _, ...same } = request;
    const done = await start(
      skill,
      runnable(skill, name),
      { ...same, operation: name, params, signal },
      tree,
    );
    return done.data;
  }

  async function withLoan<T>(frame: Frame, work: (loan: Loan | null) => Promise<T>): Promise<T> {
    const { skill, operation, connection, permit, request, tree } = frame;
    const lender = await parts.lender();
    const requireOpenWeb = () => {
      tree.requireNobody(skill.id);
      permit.require({ anyHost: true });
    };
    if (connection === null || leadsNowhere(skill, connection)) return work(lender.openWeb(requireOpenWeb));
    if (connection.hosts === "any") requireOpenWeb();
    if (isLoginStep(operation, connection)) return withPending(frame, connection, lender, work);
    if (connection.auth === null || operation.anonymous) {
      return work(await lender.lend({ connection: { ...connection, auth: null } }));
    }
    const { account, provider, signal, caller } = request;
    // Where there is no login, a question about using it would be idle.
    if (connection.optional && account === undefined) {
      const found = await lender.find({ connection, provider, dry: true });
      if (found.kind === "lent" && found.loan.identity === null) return work(found.loan);
    }
    if (provider === undefined) await lender.requireSome({ connection, account });
    permit.requireAny(connection.domain, account);
    const identify = identifyBy(skill, connection, caller);
    return lender.use({ connection, account, provider, identify, signal }, async (loan) => {
      permit.requireIdentity(loan.identity);
      if (loan.identity !== null) tree.holdLogin();
      return work(loan);
    });
  }

  async function withPending<T>(
    { request: { caller }, permit }: Frame,
    connection: Connection,
    lender: Lender,
    work: (loan: Loan) => Promise<T>,
  ): Promise<T> {
    permit.requireAny(connection.domain, undefined);
    await using loan = pending.lend(lender, caller, connection);
    try {
      return await work(loan);
    } finally {
      pending.keep(caller, connection, loan);
    }
  }

  function identifyBy(skill: Skill | null, connection: Connection, caller: Caller): Identify | undefined {
    const name = skill?.checks.get(connection.name);
    const operation = name === undefined ? undefined : skill?.operations.get(name);
    if (skill === null || operation === undefined) return undefined;
    return async (login) => {
      const lender = await parts.lender();
      await using loan = lender.tryOut(connection, login.cookies, { onlyAsks: true });
      const permit = new Permit({ grants: await parts.grants(), caller, skill, operation });
      // Code nobody has allowed is not run just to learn a name.
      if (!permit.hopesForSkill(connection.domain)) return undefined;
      const request = {
        skill: skill.id,
        operation: operation.name,
        params: {},
        caller,
        signal: AbortSignal.timeout(operation.timeoutMs),
      };
      const frame: Frame = {
        skill,
        operation,
        params: {},
        connection,
        request,
        permit,
        pending,
        since: parts.clock.now(),
        started: performance.now(),
        checks: true,
        tree: CallTree.begin({ urgent: true }),
        call: async () => {
          throw new DeputyError("DENIED", "A check of whose login this is calls nothing else");
        },
      };
      const who = await readIdentity(() => executeRun(frame, loan, { ...parts, files }), loan);
      return who === "dead" ? who : { ...who, login: { ...loan.login, gone: login.gone } };
    };
  }

  /** Without a login of its own: asking for one could lead back here. */
  async function supply(
    skill: Skill,
    operation: Operation,
    { domain, params }: { readonly domain: string; readonly params: Readonly<Record<string, unknown>> },
  ) {
    const signal = AbortSignal.timeout(Math.min(operation.timeoutMs, LONGEST_SUPPLY_MS));
    const request = { skill: skill.id, operation: operation.name, params, caller: RESOLVER, signal };
    const done = await start(
      skill,
      { ...operation, anonymous: true, returns: { kind: "unknown" } },
      request,
      CallTree.begin({ urgent: true }),
      domain,
    );
    return done.data;
  }

  return { run, identifyBy, supply };
}

/** The ancestor's skills may find out where to go: as nobody, and with the owner's word for any host. */
function leadsNowhere({ ancestor }: Skill, { auth, baseUrl, hosts }: Connection): boolean {
  return ancestor && auth === null && baseUrl === null && hosts.length === 0;
}

function runnable(skill: Skill, name: string): Operation {
  const operation = operationOf(skill, name);
  if (!operation.resolverOnly) return operation;
  throw new DeputyError("DENIED", `${skill.id} ${name} only supplies logins: nobody runs it by hand`, {
    hint: "It is asked whenever a login of its kind is needed.",
  });
}

function operationOf(skill: Skill, name: string): Operation {
  const operation = skill.operations.get(name);
  if (operation !== undefined) return operation;
  const near = nearest(name, skill.operations.keys());
  throw new DeputyError("NOT_FOUND", `${skill.id} has no operation ${name.slice(0, 64)}`, {
    hint: near === undefined ? `See what it has: deputy skills show ${skill.id}` : `Did you mean ${near}?`,
  });
}
