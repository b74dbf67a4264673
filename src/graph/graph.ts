import type { Identity } from "../kernel/index.ts";
import type { Entity } from "./shapes/entities-of.ts";
import type { JsonRecord } from "./shapes/json-record.ts";

/** Who says something. Without a skill it was written by hand: by the owner, or by an agent. */
export interface Source {
  readonly agent: string;
  readonly skill?: string;
  readonly operation?: string;
  readonly identity?: Identity;
}

export interface Provenance extends Source {
  readonly at: string;
}

export interface GraphEntity {
  readonly id: string;
  readonly shape: string;
  /** Every other shape it is too. */
  readonly also: readonly string[];
  readonly values: JsonRecord;
  readonly created: string;
  readonly updated: string;
  readonly deleted: string | null;
}

export interface LinkedEntity {
  readonly label: string;
  readonly id: string;
  readonly shape: string;
  readonly name: string;
}

export interface EntityDetails extends GraphEntity {
  /** Where each value comes from. */
  readonly sources: Readonly<Record<string, Provenance>>;
  readonly links: readonly LinkedEntity[];
  readonly linked_from: readonly LinkedEntity[];
  /** Links there are beyond those told. */
  readonly more_links: number;
}

/** What was so at a time. */
export interface PastState {
  readonly id: string;
  readonly shape: string;
  readonly values: JsonRecord;
  readonly links: readonly { readonly label: string; readonly id: string }[];
  readonly deleted: boolean;
  /** The entity it had become a part of. */
  readonly merged_into: string | null;
}

export type ChangeAction = "create" | "update" | "delete" | "restore" | "merge" | "merged";

/** One write. It is an entity too: `get` takes its id. */
export interface Change {
  readonly id: string;
  readonly action: ChangeAction;
  readonly at: string;
  readonly target: string;
  readonly by: Source;
  /** The entities of those named in `by`. */
  readonly actor: string | null;
  readonly source: string | null;
  /** Absent before: it was new. Absent after: it was taken away. */
  readonly fields: Readonly<Record<string, { readonly before?: unknown; readonly after?: unknown }>>;
  readonly added: readonly { readonly label: string; readonly id: string }[];
  readonly removed: readonly { readonly label: string; readonly id: string }[];
}

export interface Remembered {
  /** The ids of the entities given, in their order. Two of them may be one entity. */
  readonly ids: readonly string[];
  readonly created: number;
  readonly changed: number;
  readonly merged: number;
  readonly warnings: readonly string[];
}

export type FilterOperator = "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "contains" | "missing" | "linked";

/** `missing` takes no value; `linked` takes an id, its field being the label or `*` for any. */
export interface Filter {
  readonly field: string;
  readonly is: FilterOperator;
  readonly value?: unknown;
}

export interface ListInput {
  readonly shape: string;
  readonly where?: readonly Filter[];
  /** A field, `created` or `updated`; with `-` in front the largest first. Default: the newest first. */
  readonly sort?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly deleted?: boolean;
}

export interface Listed {
  readonly entities: readonly GraphEntity[];
  /** Opaque; null on the last page. */
  readonly next: string | null;
  /** How many fit. With a cursor it is not counted again: null. */
  readonly total: number | null;
  /** Of each filtered field: how many of the shape say nothing about it, and so fit no comparison. */
  readonly absent: Readonly<Record<string, number>>;
}

export interface Found {
  readonly entities: readonly GraphEntity[];
  /** Nothing had all the words: these have some of them. */
  readonly some_words: boolean;
}

/** `id` of an entity there is, under a label. */
export interface LinkInput {
  readonly label: string;
  readonly id: string;
}

export interface DescribedSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly status: string;
  readonly operations: readonly string[];
  readonly website?: string;
}

/** What can be asked of the graph, each with its input and its answer. */
export interface GraphRequests {
  /** Records that are one by their shape's identity become one entity. Nothing given is nothing taken away. */
  remember: { in: { readonly entities: readonly Entity[]; readonly source: Source }; out: Remembered };
  search: {
    in: { readonly query: string; readonly types?: readonly string[]; readonly limit?: number };
    out: Found;
  };
  list: { in: ListInput; out: Listed };
  get: { in: { readonly id: string }; out: EntityDetails };
  create: {
    in: {
      readonly shape: string;
      readonly values: JsonRecord;
      readonly links?: readonly LinkInput[];
      readonly source: Source;
    };
    out: { readonly entity: GraphEntity; readonly warnings: readonly string[] };
  };
  /** A value of null takes the field away. */
  update: {
    in: {
      readonly id: string;
      readonly values: JsonRecord;
      readonly links?: readonly LinkInput[];
      readonly unlink?: readonly LinkInput[];
      readonly source: Source;
    };
    out: { readonly entity: GraphEntity; readonly changed: boolean; readonly warnings: readonly string[] };
  };
  delete: { in: { readonly id: string; readonly source: Source }; out: { readonly entity: GraphEntity } };
  restore: { in: { readonly id: string; readonly source: Source }; out: { readonly entity: GraphEntity } };
  history: {
    in: { readonly id: string; readonly limit?: number; readonly cursor?: string };
    out: { readonly changes: readonly Change[]; readonly next: string | null };
  };
  /** Null where it did not exist yet. */
  stateAt: { in: { readonly id: string; readonly time: number }; out: PastState | null };
  /** Entities of each shape, deleted ones not among them. */
  counts: { in: Record<string, never>; out: Readonly<Record<string, number>> };
  describeSkills: { in: { readonly skills: readonly DescribedSkill[] }; out: { readonly changed: number } };
  /** The owner's account at a service: they claim it. */
  claimAccount: { in: Identity & { readonly display?: string }; out: { readonly id: string } };
  /** All of it, history included, as JSON lines. The file must not be there yet. */
  exportTo: { in: { readonly path: string }; out: { readonly entities: number; readonly changes: number } };
  /** Adds what is not here. Broken off, the same call goes on where it was. */
  importFrom: {
    in: { readonly path: string; readonly source: Source };
    out: { readonly entities: number; readonly added: number; readonly refused: number };
  };
}

export interface GraphCallOptions {
  readonly signal?: AbortSignal;
  readonly progress?: (done: number) => void;
}

/** What Deputy remembers, in one file and one thread of its own. */
export type Graph = AsyncDisposable & {
  /** It is going to be asked: its thread takes a moment to start. */
  prepare(): void;
} & {
  [K in keyof GraphRequests]: (
    input: GraphRequests[K]["in"],
    options?: GraphCallOptions,
  ) => Promise<GraphRequests[K]["out"]>;
};
