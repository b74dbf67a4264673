import type { Connection } from "../auth/index.ts";
import type { Program } from "../expressions/index.ts";
import type { Executor } from "./executor.ts";
import type { ValueType } from "./manifest/manifest-form.ts";
import type { Problem } from "./problem.ts";

/** Where a skill came from, the strongest last: an added one stands before a bundled one of the same id. */
export type Origin = "bundled" | "home" | "added";

/** A skill that can be used: its manifest read, every expression in it compiled. It holds no secret. */
export interface Skill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly website: string | null;
  readonly origin: Origin;
  /** Absolute, links followed. */
  readonly folder: string;
  /** `sha256:…` of every file that can have an effect. Grants name it: changed code asks again. */
  readonly pin: string;
  /** Added with --dev: for the owner's own runs a grant may name the folder instead of the pin. */
  readonly dev: boolean;
  /** Written for the ancestor. */
  readonly ancestor: boolean;
  /** readme.md: what an agent is told. */
  readonly readme: string | null;
  readonly connections: ReadonlyMap<string, Connection>;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly provides: readonly Provided[];
  /** By connection, the operation that says whose login it has (`check_session`). */
  readonly checks: ReadonlyMap<string, string>;
  readonly warnings: readonly Problem[];
}

export type Effect = "read" | "write" | "destructive";

export interface Operation {
  readonly skill: string;
  readonly name: string;
  readonly description: string;
  readonly params: ReadonlyMap<string, Param>;
  readonly returns: Returns;
  /** The connections a caller may choose from, the default first. None: the operation reaches no service. */
  readonly connections: readonly string[];
  /** The connection is used without its login. */
  readonly anonymous: boolean;
  readonly effect: Effect;
  readonly timeoutMs: number;
  readonly executor: Executor;
  readonly test: OperationTest;
  /** It supplies a login to other skills: only the resolver runs it, never an agent or `deputy run`. */
  readonly resolverOnly: boolean;
}

export interface Param {
  readonly name: string;
  readonly type: ValueType;
  readonly required: boolean;
  /** Undefined: there is none. */
  readonly default: unknown;
  readonly enum: readonly (string | number | boolean)[] | null;
  readonly description: string | null;
}

export type Returns =
  | { readonly kind: "shape"; readonly shape: string; readonly many: boolean }
  /** An inline schema: fields and their types. */
  | { readonly kind: "fields"; readonly fields: Readonly<Record<string, unknown>>; readonly many: boolean }
  | { readonly kind: "value"; readonly type: ValueType }
  | { readonly kind: "nothing" }
  | { readonly kind: "unknown" };

export interface OperationTest {
  readonly params: Readonly<Record<string, unknown>>;
  /** True or why. */
  readonly skip: boolean | string;
  /** `write`: runs only where the owner asks for tests that change things. */
  readonly mode: "read" | "write";
}

export type Provided =
  | {
      readonly kind: "tool";
      readonly tool: string;
      readonly via: string;
      readonly urls: readonly string[];
      readonly description: string | null;
    }
  | {
      readonly kind: "auth";
      readonly auth: "cookies" | "oauth" | "api_key";
      readonly via: string;
      readonly service: string | null;
      readonly scopes: readonly string[];
      /** The operation's parameter that names the account or domain wanted. */
      readonly accountParam: string | null;
      readonly description: string | null;
    };

/** From a record of an answer to an entity of a shape. Expressions see the record as `.`, and nothing else. */
export interface Adapter {
  readonly shape: string;
  /** One object. A key `a.b` is a field of a field; one that begins with `_` is for this adapter's own use. */
  readonly fields: Program;
  readonly references: readonly AdapterReference[];
  readonly edges: readonly AdapterEdge[];
}

/** A link to an entity that is known by its id only. */
export interface AdapterReference {
  readonly label: string;
  readonly shape: string;
  readonly value: Program;
}

/** A link to an entity that comes with the record. */
export interface AdapterEdge {
  readonly label: string;
  readonly many: boolean;
  /** Where its records are; null: the record itself. */
  readonly source: Program | null;
  readonly adapter: Adapter;
}
