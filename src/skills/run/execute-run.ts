import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Connection, connectionScope, JarLoan, type Loan } from "../../auth/index.ts";
import type { Grants } from "../../access/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { adapt } from "../executors/adapters.ts";
import { execute } from "../executors/execute.ts";
import { grantedPath } from "../executors/granted-path.ts";
import type { ExecutorParts } from "../executors/executor-parts.ts";
import type { Executor } from "../executor.ts";
import type { SkillFiles } from "../hosts/skill-files.ts";
import type { Params } from "../params.ts";
import type { Operation, Skill } from "../skill.ts";
import type { CallTree } from "./call-tree.ts";
import type { Execution } from "./execution.ts";
import { Handles } from "./handles.ts";
import { createHostServices } from "./host-services.ts";
import { requireNoneNeeded } from "./needed-login.ts";
import { readNewSecret } from "./new-secrets.ts";
import type { PendingJars } from "./pending-jars.ts";
import type { Permit } from "./permit.ts";
import { runCode } from "./run-code.ts";
import type { RunDone, RunRequest } from "./run-request.ts";
import { splitResult } from "./run-result.ts";
import type { RunnerParts } from "./runner.ts";
import type { SkillState } from "./skill-state.ts";

/** One run, once everything about it is decided but the login. */
export interface Frame {
  readonly skill: Skill;
  readonly operation: Operation;
  readonly params: Params;
  readonly connection: Connection | null;
  readonly request: RunRequest;
  readonly permit: Permit;
  readonly pending: PendingJars;
  /** When it began, by the clock rows are dated with. */
  readonly since: number;
  readonly started: number;
  /** It only asks whose login this is: it stores nothing and remembers nothing. */
  readonly checks: boolean;
  readonly tree: CallTree;
  /** Another operation of the same skill, as the same account. */
  readonly call: (operation: string, params: Params, signal: AbortSignal) => Promise<unknown>;
}

type Parts = RunnerParts & { readonly files: (skill: Skill) => SkillFiles };
type Stored = RunDone["meta"]["stored"][number];

/** Executes with a login, and takes the engine's part out of the result. */
export async function executeRun(frame: Frame, loan: Loan | null, parts: Parts): Promise<RunDone> {
  const { skill, operation, connection, permit, request } = frame;
  const executors = await parts.executors();
  const identity = loan?.identity ?? null;
  const warnings: string[] = [];
  const stored: Stored[] = [];
  const state = frame.checks ? readOnly(parts.state()) : parts.state();

  const shown: Handles[] = [];
  const store = async (given: unknown) => {
    const secret = readNewSecret(given, {
      skill,
      reveal: (domain, value) =>
        // A login stays where it is from: under another domain it would be sent there.
        loan?.connection.auth == null || connection?.domain === domain
          ? shown.reduce((now, handles) => handles.reveal(now), value as unknown)
          : value,
      since: frame.since,
      fold: parts.fold,
      jar: () => (loan instanceof JarLoan ? loan.login.cookies : []),
    });
    if (frame.checks) throw new DeputyError("DENIED", "A check of whose login this is stores none");
    permit.requireKeeping({ domain: secret.domain, identifier: secret.identifier });
    const kept = await parts.keep(secret);
    stored.push({ domain: kept.domain, account: kept.identifier, item_type: secret.itemType });
  };

  const execution: Execution = {
    skill,
    operation,
    connection,
    loan,
    scope: {
      params: frame.params,
      data: state.read("data", skill, identity),
      cache: state.read("cache", skill, identity),
      connection: connection === null ? null : expandedScope(connection, executors.home),
    },
    expressions: parts.expressions,
    signal: request.signal,
    allows: (need) => permit.allows(need),
    denial: (need) => permit.denial(need),
    warn: (message) => warnings.push(message),
    runCode: async (executor, now) => {
      const handles = new Handles();
      shown.push(handles);
      const exposed = permit.exposes();
      const values = (await loan?.auth()) ?? {};
      return runCode(executor, {
        hosts: frame.tree.hosts(await parts.hosts()),
        files: parts.files(skill),
        execution: now,
        serve: createHostServices({ frame, execution: now, handles, state, store, executors }),
        auth: exposed ? values : handles.cover(values),
        exposed,
        exposeDenial: () => permit.exposeDenial(),
        refused: (reason, url) =>
          parts.denials?.recordDenial({
            at: parts.clock.now(),
            caller: request.caller,
            subject: skill.id,
            operation: operation.name,
            identity: identity && { domain: identity.domain, account: identity.identifier },
            reason,
            // Code that was shown the credential could write it there.
            host: exposed ? undefined : hostBeyond(loan, url),
          }),
        paths: codePaths(now, executors, skill.ancestor ? allowedPaths(await parts.grants(), skill.id) : []),
      });
    },
  };

  const returned = await execute(operation.executor, execution, executors);
  const result = splitResult(returned);
  if (skill.ancestor) requireNoneNeeded(result.data, execution);
  if (result.cache !== null) state.merge("cache", skill, identity, result.cache);
  if (result.kept !== null) state.merge("data", skill, identity, result.kept);
  for (const secret of result.secrets) await store(secret);
  if (connection !== null && stored.some(({ item_type }) => item_type === "cookies"))
    frame.pending.forget(request.caller, connection);

  const { returns } = operation;
  const adapter = returns.kind === "shape" ? skill.adapters.get(returns.shape) : undefined;
  const data = adapter === undefined ? result.data : await adapt(adapter, result.data, execution);
  const checked = parts.shapes().checkResult(returns, data);
  return {
    data: checked.data ?? null,
    returns,
    fields: checked.fields,
    findings: checked.warnings,
    meta: {
      skill: skill.id,
      operation: operation.name,
      connection: connection?.name ?? null,
      account: identity?.identifier ?? null,
      provider: identity === null ? null : (loan?.provider ?? null),
      isolation: isDeclarative(operation.executor) ? "none" : executors.jail.level,
      duration_ms: Math.round((performance.now() - frame.started) * 10) / 10,
      warnings: [...warnings, ...checked.warnings.map(({ message }) => message)],
      hosts: [...(loan?.hosts ?? [])],
      stored,
    },
  };
}

/** Where a refused request was meant to go; where it got on its way and was led astray, the hosts of the run tell. */
function hostBeyond(loan: Loan | null, url: string): string | undefined {
  const host = URL.canParse(url) ? new URL(url).host : undefined;
  return host === undefined || loan?.hosts.has(host) === true ? undefined : host;
}

function readOnly(state: SkillState): SkillState {
  return {
    ...state,
    merge: () => {
      throw new DeputyError("DENIED", "A check of whose login this is remembers nothing");
    },
  };
}

/** What nobody can make run for ever: a request and what is made of its answer. */
function isDeclarative(executor: Executor): boolean {
  if (executor.kind === "steps")
    return executor.steps.every((step) => /^(rest|graphql)$/.test(step.executor.kind));
  return executor.kind === "rest" || executor.kind === "graphql";
}

/** Local files of other programs that the connection names: bound into the host where the owner allowed it. */
function codePaths(execution: Execution, parts: ExecutorParts, allowed: readonly string[]): string[] {
  const { connection } = execution;
  const declared = [connection?.sqlite, ...Object.values(connection?.vars ?? {})].filter(
    (one): one is string => typeof one === "string" && /^(~\/|\/)/.test(one),
  );
  // Some name their files in the code alone: there are those the owner allowed all the same.
  const more = allowed.filter((path) => existsSync(path) && execution.allows({ kind: "read", path }));
  return [...declared, ...more].flatMap((path) => {
    try {
      return [grantedPath("read", path, execution, parts)];
    } catch (error) {
      if (!(error instanceof DeputyError)) throw error;
      execution.warn(error.message);
      return [];
    }
  });
}

/** Files and folders that grants of the skill name, whether or not they count for this run. */
function allowedPaths(grants: Grants, skill: string): string[] {
  return grants
    .list()
    .filter(({ subject }) => subject === skill)
    .flatMap(({ allow }) => allow.flatMap((one) => (one.startsWith("path:") ? [one.slice(5)] : [])));
}

function expandedScope(connection: Connection, home = homedir()): Record<string, unknown> {
  const expand = (value: unknown) =>
    typeof value === "string" && value.startsWith("~/") ? join(home, value.slice(2)) : value;
  const vars = Object.fromEntries(
    Object.entries(connection.vars).map(([name, value]) => [name, expand(value)]),
  );
  return { ...connectionScope(connection), vars, sqlite: expand(connection.sqlite) };
}
