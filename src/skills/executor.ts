import type { Program } from "../expressions/index.ts";

/**
 * What an operation or a step does, its expressions compiled. In scope are `.params .data .cache .connection`, the
 * steps before it, and `.item` in a step with `for_each`; `.auth` only in requests, in a command's stdin and in what
 * is handed to code, where it is a handle. A null is a part the manifest does not have.
 */
export type Executor = CallExecutor | StepsExecutor;

export type CallExecutor =
  | RestExecutor
  | GraphqlExecutor
  | SqlExecutor
  | CommandExecutor
  | TypescriptExecutor
  | PythonExecutor;

export interface RestExecutor extends Answered {
  readonly kind: "rest";
  readonly method: string;
  readonly url: Program;
  readonly headers: Program | null;
  readonly query: Program | null;
  readonly body: Program | null;
  readonly encoding: "json" | "form" | "text";
}

export interface GraphqlExecutor extends Answered {
  readonly kind: "graphql";
  /** Null: the connection's base_url. */
  readonly endpoint: Program | null;
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Program | null;
  readonly headers: Program | null;
}

export interface SqlExecutor extends Answered {
  readonly kind: "sql";
  readonly query: string;
  readonly params: Program | null;
  /** Null: the connection's sqlite. Files are named by the manifest and the connection, never by a caller. */
  readonly database: Program | null;
  readonly attach: ReadonlyMap<string, Program>;
  readonly write: boolean;
}

export interface CommandExecutor extends Answered {
  readonly kind: "command";
  readonly binary: string;
  /** A list; never with `.auth`, because other processes can read a command line. */
  readonly args: Program;
  /** Code for an interpreter that stands in the manifest itself. */
  readonly code: string | null;
  readonly stdin: Program | null;
  readonly workingDir: Program | null;
  /** Lists of paths the command's sandbox has besides the skill's folder. */
  readonly read: Program;
  readonly write: Program;
  /** What it may end with and not have failed. */
  readonly statuses: readonly number[];
}

export interface TypescriptExecutor extends Answered {
  readonly kind: "typescript";
  /** Relative to the skill's folder, with `/`. */
  readonly module: string;
  readonly function: string;
  readonly args: Program | null;
}

export interface PythonExecutor extends Answered {
  readonly kind: "python";
  readonly module: string;
  readonly function: string;
  /** Keyword arguments. */
  readonly args: Program | null;
  /** One dict `{params, auth, connection}` instead. */
  readonly wholeParams: boolean;
}

/** Its result is that of the last step, unless a response says otherwise; the response sees every step by its id. */
export interface StepsExecutor extends Answered {
  readonly kind: "steps";
  readonly steps: readonly Step[];
}

export interface Step {
  readonly id: string;
  readonly skipIf: Program | null;
  /** A list: the step runs for each as `.item`, and its result is a list. */
  readonly forEach: Program | null;
  readonly timeoutMs: number | null;
  readonly executor: StepExecutor;
}

export type StepExecutor = CallExecutor | KeychainStep | CryptoStep | PlistStep | CsvStep;

export interface KeychainStep {
  readonly kind: "keychain";
  readonly service: Program;
  readonly account: Program | null;
}

export type CryptoStep =
  | {
      readonly kind: "crypto";
      readonly algorithm: "pbkdf2";
      readonly password: Program;
      readonly salt: Program;
      readonly iterations: number;
      readonly keyLength: number;
      readonly digest: "sha1" | "sha256" | "sha512";
    }
  | {
      readonly kind: "crypto";
      readonly algorithm: "aes-128-cbc";
      readonly key: Program;
      readonly iv: Program;
      readonly input: Program;
    };

export interface PlistStep {
  readonly kind: "plist";
  readonly input: Program;
  /** Names for parts of it: an index into a keyed archive's objects, or a key. Null: all of it. */
  readonly extract: Readonly<Record<string, number | string>> | null;
}

export interface CsvStep {
  readonly kind: "csv";
  readonly input: Program;
  readonly delimiter: string;
  readonly header: boolean;
}

interface Answered {
  readonly response: ResponseMap | null;
}

/** From an answer to a result, in this order: root, transform, mapping, static, inject. */
export interface ResponseMap {
  /** Keys and indices down into the answer. */
  readonly root: readonly string[];
  readonly transform: Program | null;
  /** An object; of each element where what it is given is a list. */
  readonly mapping: Program | null;
  readonly static: Readonly<Record<string, unknown>>;
  /** An object over `.params .data .cache .connection` that is added to every result. */
  readonly inject: Program | null;
  /** The answer is text, and is not parsed. */
  readonly raw: boolean;
}
