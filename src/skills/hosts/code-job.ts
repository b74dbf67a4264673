import type { HostLimits } from "./host-limits.ts";
import type { SkillFiles } from "./skill-files.ts";

/** One call of one function of a skill. Who it is for is not in here: that is whatever `serve` was bound to. */
export interface CodeJob {
  readonly language: "typescript" | "python";
  readonly files: SkillFiles;
  /** Relative to the skill's folder, such as `./exa.ts`. */
  readonly module: string;
  readonly function: string;
  /** Python's keyword arguments, or with `call: "params"` the one dict. TypeScript finds them as `run.args`. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly call?: "keywords" | "params";
  readonly context: RunInput;
  /** Files and folders the owner granted, bound read-only. A run that has some waits for a host of its own. */
  readonly paths: readonly string[];
  readonly limits: HostLimits;
  readonly signal: AbortSignal;
  /** A run that has a host waits for this one: it is not made to wait for its turn. */
  readonly urgent?: boolean;
  /** Asked at each request: false ends the run. */
  readonly spend?: () => boolean;
  readonly serve: HostServices;
}

/** What the code may know of its run. */
export interface RunInput {
  readonly skill: string;
  readonly operation: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Handles, never values, unless the owner's grant exposes them. */
  readonly auth: Readonly<Record<string, unknown>>;
  readonly connection: Readonly<Record<string, unknown>> | null;
  readonly account?: string;
}

export type CodeOutcome =
  | { readonly kind: "returned"; readonly value: unknown }
  | {
      readonly kind: "threw";
      readonly name: string;
      readonly message: string;
      /** Of an error that one of the services answered with and the code let pass. */
      readonly code?: string;
      /** The skill's own frames, one a line: `function (file:line:column)`. */
      readonly stack?: string;
    }
  | {
      readonly kind: "stopped";
      readonly why: "timeout" | "memory" | "output" | "cancelled" | "crashed";
      /** A sentence for the skill's author. */
      readonly detail: string;
    };

/**
 * What code may ask for. Each run has its own object, so that identity is bound to it and never to a message; every
 * signal is aborted when the run ends, however it ends. A DeputyError's code and message reach the code, of any other
 * error only that there was one.
 */
export interface HostServices {
  http(request: HostRequest, signal: AbortSignal): Promise<HostResponse>;
  sql(query: HostQuery, signal: AbortSignal): Promise<readonly Readonly<Record<string, unknown>>[]>;
  shell(command: HostCommand, signal: AbortSignal): Promise<HostCommandResult>;
  call(operation: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
  cacheGet(key: string): Promise<unknown>;
  cacheSet(key: string, value: unknown): Promise<void>;
  dataGet(key: string): Promise<unknown>;
  dataSet(key: string, value: unknown): Promise<void>;
  storeSecret(secret: Readonly<Record<string, unknown>>): Promise<void>;
  keychain(
    item: { readonly service: string; readonly account?: string },
    signal: AbortSignal,
  ): Promise<Uint8Array>;
  log(level: LogLevel, text: string): void;
  progress(step: HostProgress): void;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface HostProgress {
  readonly current?: number;
  readonly total?: number;
  readonly message?: string;
}

export interface HostRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Uint8Array;
  /** The knobs of `http.headers`, for the engine to dress the request with. */
  readonly dress?: HostDress;
  readonly mode?: "browser" | "fetch" | "api";
  readonly jar?: "none";
  /** One of several that belong together: cookies set by one go with the next, also where nobody is signed in. */
  readonly session?: true;
  readonly skipCookies?: readonly string[];
  readonly http2?: boolean;
  readonly timeoutMs?: number;
  readonly redirect?: "follow" | "manual" | "error";
  /** A cookie header, as a rule a handle. */
  readonly cookies?: string;
}

export interface HostDress {
  readonly waf?: string;
  readonly ua?: string;
  readonly mode?: string;
  readonly accept?: string;
  readonly extra?: Readonly<Record<string, string>>;
}

export interface HostResponse {
  readonly status: number;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  /** Of a session: its cookies as they are now, by name, as handles. */
  readonly cookies?: Readonly<Record<string, string>>;
}

export interface HostQuery {
  readonly query: string;
  readonly db?: string;
  readonly params?: readonly unknown[] | Readonly<Record<string, unknown>>;
  readonly attach?: Readonly<Record<string, string>>;
  readonly write?: boolean;
}

export interface HostCommand {
  readonly binary: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly input?: string;
  readonly timeoutMs?: number;
}

export interface HostCommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
