/** What the authors of skills import from `deputize/skill`. Types only: a skill's code has nothing to load. */

/** The one argument of a skill's function. Everything that leaves the process goes through it. */
export interface Run extends RunContext {
  readonly http: SkillHttp;
  readonly sql: {
    query<Row = Record<string, unknown>>(query: string, options?: SqlOptions): Promise<Row[]>;
  };
  readonly shell: {
    run(binary: string, args?: readonly string[], options?: ShellOptions): Promise<ShellResult>;
  };
  /** Another operation of the same skill, as the same account. */
  call<Result = unknown>(operation: string, params?: Readonly<Record<string, unknown>>): Promise<Result>;
  /** What can be found again: may be cleared at any time. */
  readonly cache: Shelf;
  /** What cannot: settings, sync marks. */
  readonly data: Shelf;
  readonly secrets: { store(secret: SkillSecret): Promise<void> };
  readonly keychain: { read(service: string, account?: string): Promise<Uint8Array> };
  readonly log: Log & { debug: Log; info: Log; warn: Log; error: Log };
  progress(step: string | { current?: number; total?: number; message?: string }): void;
}

export interface RunContext {
  readonly skill: string;
  readonly operation: string;
  readonly params: Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any -- checked against the manifest before the run
  /** The operation's `args`, where the manifest declares some. */
  readonly args: Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any -- as above
  /** Handles, to be passed on in a request: the engine puts the values in on the way out. */
  readonly auth: Readonly<Record<string, string>>;
  readonly connection: Readonly<Record<string, unknown>> | null;
  readonly account?: string;
}

type Log = (text: unknown) => void;

interface Shelf {
  get<Value = unknown>(key: string): Promise<Value | null>;
  set(key: string, value: unknown): Promise<void>;
}

export interface SkillSecret {
  readonly domain: string;
  readonly identifier: string;
  readonly item_type: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly label?: string;
  readonly source?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface SkillHttp {
  get: Verb;
  post: Verb;
  put: Verb;
  patch: Verb;
  delete: Verb;
  head: Verb;
  request(method: string, url: string, options?: HttpOptions): Promise<SkillResponse>;
  /** The same, with options of its own for every request. */
  client(options?: HttpOptions): SkillHttp;
  /** Headers of a browser, one knob at a time: `http.get(url, http.headers({ waf: "cf", accept: "json" }))`. */
  headers(knobs: HeaderKnobs): HttpOptions;
}

type Verb = (url: string, options?: HttpOptions) => Promise<SkillResponse>;

export interface HttpOptions {
  readonly headers?: Readonly<Record<string, string>> | Iterable<readonly [string, string]>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | URLSearchParams | FormData;
  readonly dress?: HeaderKnobs;
  /** Instead of the connection's mode. */
  readonly mode?: "browser" | "fetch" | "api";
  /** Sends no cookie and keeps none. */
  readonly jar?: "none";
  readonly skipCookies?: readonly string[];
  readonly http2?: boolean;
  readonly timeoutMs?: number;
  readonly redirect?: "follow" | "manual" | "error";
  /** A cookie header, as a rule the handle `auth.cookies`. */
  readonly cookies?: string;
}

export interface HeaderKnobs {
  readonly waf?: "cf" | "vercel";
  readonly ua?: "chrome-desktop" | "chrome-mobile" | "safari-desktop" | (string & {});
  readonly mode?: "fetch" | "navigate";
  readonly accept?: "json" | "html" | "any";
  readonly extra?: Readonly<Record<string, string>>;
}

export interface SkillHeaders extends Iterable<[string, string]> {
  get(name: string): string | undefined;
  has(name: string): boolean;
}

export interface SkillResponse {
  readonly status: number;
  /** 200 to 299. */
  readonly ok: boolean;
  /** Where the last redirect led. */
  readonly url: string;
  readonly headers: SkillHeaders;
  /** Cookies this answer set, as handles. */
  readonly cookies: Readonly<Record<string, string>>;
  text(): string;
  json(): any; // oxlint-disable-line typescript/no-explicit-any -- what a service answers is for the skill to know
  bytes(): Uint8Array;
}

export interface SqlOptions {
  readonly db?: string;
  readonly params?: readonly unknown[] | Readonly<Record<string, unknown>>;
  readonly attach?: Readonly<Record<string, string>>;
  readonly write?: boolean;
}

export interface ShellOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly timeoutMs?: number;
}

export interface ShellResult {
  /** Null when a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
