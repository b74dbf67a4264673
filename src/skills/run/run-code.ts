import { AsyncResource } from "node:async_hooks";
import { Mask } from "../../http/index.ts";
import { DeputyError, type ErrorCode, errorCodes } from "../../kernel/index.ts";
import type { PythonExecutor, TypescriptExecutor } from "../executor.ts";
import { oneLine } from "../executors/service-answer.ts";
import type { CodeOutcome, HostServices } from "../hosts/code-job.ts";
import type { HostPool } from "../hosts/host-pool.ts";
import { hostLimits } from "../hosts/host-limits.ts";
import type { SkillFiles } from "../hosts/skill-files.ts";
import type { Execution } from "./execution.ts";
import { neededBy } from "./needed-login.ts";
import { secretTexts } from "../../auth/index.ts";

export interface CodeRun {
  readonly hosts: Pick<HostPool, "run">;
  readonly files: SkillFiles;
  readonly execution: Execution;
  readonly serve: HostServices;
  /** Handles, or with the owner's word the values themselves. */
  readonly auth: Readonly<Record<string, unknown>>;
  readonly exposed: boolean;
  /** What to say of code that computes with a handle. */
  readonly exposeDenial: () => DeputyError;
  /** A request of the code's was not sent: the log has it, whatever the code makes of it. */
  readonly refused: (reason: string, url: string) => void;
  readonly paths: readonly string[];
}

/** Runs a skill's function in a host and takes back what it returned or threw. */
export async function runCode(executor: TypescriptExecutor | PythonExecutor, run: CodeRun): Promise<unknown> {
  const { execution, auth } = run;
  const { skill, operation, loan, scope, signal } = execution;
  const params = (scope["params"] ?? {}) as Record<string, unknown>;
  const account = loan?.identity?.identifier;
  // As expressions see it: paths in it are absolute, and bound into the host under those names.
  const place = (scope["connection"] ?? null) as Record<string, unknown> | null;
  const given =
    executor.args === null
      ? {}
      : await execution.expressions.run(executor.args, { ...scope, auth }, { signal });
  const whole = executor.kind === "python" && executor.wholeParams;
  let served: DeputyError | undefined;
  const outcome = await run.hosts.run({
    language: executor.kind,
    files: run.files,
    module: executor.module,
    function: executor.function,
    args: whole
      ? { ...params, params, auth, connection: place }
      : executor.args === null && executor.kind === "python"
        ? params
        : (given as Record<string, unknown>),
    call: whole ? "params" : "keywords",
    context: {
      skill: skill.id,
      operation: operation.name,
      params,
      auth,
      connection: place,
      ...(account === undefined ? {} : { account }),
    },
    paths: run.paths,
    limits: { ...hostLimits, timeoutMs: operation.timeoutMs },
    signal,
    serve: noting(tellingRefusals(run.serve, run.refused), (error) => {
      served = error;
    }),
  });
  const mask = new Mask(run.exposed ? secretTexts(auth) : []);
  if (outcome.kind === "threw" && outcome.code === "NEEDS_EXPOSE") {
    const { hint, remedy } = run.exposeDenial();
    const what = `${skill.id} ${operation.name}: ${oneLine(outcome.message)}`;
    throw new DeputyError("DENIED", what, { hint, remedy });
  }
  const missing = outcome.kind === "threw" ? fileOutside(outcome, execution) : undefined;
  if (missing !== undefined) {
    const { hint, remedy } = execution.denial({ kind: "read", path: missing });
    const what = `${skill.id} ${operation.name}: ${missing} is not among the files its code may read`;
    throw new DeputyError("DENIED", what, { hint, remedy });
  }
  if (outcome.kind !== "returned") {
    // The code let one of our own errors pass: whole, it says what would mend it.
    throw outcome.kind === "threw" && served !== undefined && outcome.code === served.code
      ? served
      : failure(outcome, execution, mask);
  }
  // What code was shown it may show on: nobody who asked for a result asked for that.
  return mask.isEmpty ? outcome.value : JSON.parse(mask.text(JSON.stringify(outcome.value ?? null)));
}

/** A file the code looked for that its jail does not have. Where it may have it, the file itself is missing. */
function fileOutside({ name, message }: { name: string; message: string }, execution: Execution) {
  if (name !== "FileNotFoundError" && name !== "PermissionError") return undefined;
  const path = /'(\/[^'\0]*)'/.exec(message)?.[1];
  if (path === undefined || execution.allows({ kind: "read", path })) return undefined;
  return path;
}

function failure(
  outcome: Exclude<CodeOutcome, { kind: "returned" }>,
  { skill, operation }: Execution,
  mask: Mask,
): DeputyError {
  const what = `${skill.id} ${operation.name}`;
  if (outcome.kind === "stopped") {
    const code = STOPPED[outcome.why];
    return new DeputyError(code, `${what}: ${mask.text(outcome.detail)}`);
  }
  const message = mask.text(outcome.message);
  const expired = /^SESSION_EXPIRED:\s*(.*)$/s.exec(message);
  if (expired !== null) return new DeputyError("SESSION_EXPIRED", `${what}: ${oneLine(expired[1] ?? "")}`);
  const needed = outcome.code === undefined ? undefined : neededBy(outcome.code);
  if (needed !== undefined) return new DeputyError(needed, `${what}: ${oneLine(message)}`);
  const coded = outcome.code !== undefined && Object.hasOwn(errorCodes, outcome.code);
  const name = outcome.name === "Error" || coded ? "" : `${outcome.name}: `;
  return new DeputyError(
    coded ? (outcome.code as ErrorCode) : "SKILL_FAILED",
    `${what}: ${name}${oneLine(message)}`,
    {
      hint:
        outcome.stack === undefined
          ? undefined
          : `It happened at ${outcome.stack.split("\n")[0]?.trim() ?? ""}`,
    },
  );
}

function tellingRefusals(serve: HostServices, refused: CodeRun["refused"]): HostServices {
  return {
    ...serve,
    async http(asked, signal) {
      try {
        return await serve.http(asked, signal);
      } catch (error) {
        if (error instanceof DeputyError && error.code === "DENIED") refused(error.message, asked.url);
        throw error;
      }
    },
  };
}

/** Remembers the last error a service answered with: the code sees only its words. */
function noting(serve: HostServices, note: (error: DeputyError) => void): HostServices {
  const noted = <A extends unknown[], R>(service: (...args: A) => Promise<R>) =>
    // A host was started before anybody called: what it asks for belongs to the call it now works for.
    AsyncResource.bind(async (...args: A): Promise<R> => {
      try {
        return await service(...args);
      } catch (error) {
        if (error instanceof DeputyError) note(error);
        throw error;
      }
    });
  return {
    ...serve,
    keychain: noted((...args) => serve.keychain(...args)),
    http: noted((...args) => serve.http(...args)),
    sql: noted((...args) => serve.sql(...args)),
    shell: noted((...args) => serve.shell(...args)),
    call: noted((...args) => serve.call(...args)),
    storeSecret: noted((...args) => serve.storeSecret(...args)),
  };
}

const STOPPED = {
  timeout: "TIMEOUT",
  memory: "TOO_LARGE",
  output: "TOO_LARGE",
  cancelled: "CANCELLED",
  crashed: "SKILL_FAILED",
} as const satisfies Record<string, ErrorCode>;
