import type { Change, EntityDetails, Filter, GraphEntity, Listed, PastState } from "../../graph/index.ts";

/** What a person or a model reads, beside the data itself. */
interface Told {
  readonly text: string;
}

interface Link {
  readonly label: string;
  /** Of an entity there is. */
  readonly id: string;
}

type Values = Readonly<Record<string, unknown>>;

export interface GraphMethods {
  "graph.search": {
    in: { readonly query: string; readonly types?: readonly string[]; readonly limit?: number };
    out: Told & { readonly entities: readonly GraphEntity[]; readonly some_words: boolean };
  };
  "graph.list": {
    in: {
      readonly shape: string;
      readonly where?: readonly Filter[];
      readonly sort?: string;
      readonly limit?: number;
      readonly cursor?: string;
      readonly deleted?: boolean;
    };
    out: Told & Listed;
  };
  "graph.get": { in: { readonly id: string }; out: Told & { readonly entity: EntityDetails } };
  "graph.create": {
    in: { readonly shape: string; readonly values: Values; readonly links?: readonly Link[] };
    out: Told & { readonly entity: GraphEntity; readonly warnings: readonly string[] };
  };
  /** A value of null takes the field away. */
  "graph.update": {
    in: {
      readonly id: string;
      readonly values: Values;
      readonly links?: readonly Link[];
      readonly unlink?: readonly Link[];
    };
    out: Told & {
      readonly entity: GraphEntity;
      readonly changed: boolean;
      readonly warnings: readonly string[];
    };
  };
  "graph.delete": { in: { readonly id: string }; out: Told & { readonly entity: GraphEntity } };
  "graph.restore": { in: { readonly id: string }; out: Told & { readonly entity: GraphEntity } };
  "graph.history": {
    in: { readonly id: string; readonly limit?: number; readonly cursor?: string };
    out: Told & { readonly changes: readonly Change[]; readonly next: string | null };
  };
  /** An entity as it was; null where it did not exist yet. */
  "graph.at": {
    in: { readonly id: string; readonly time: string };
    out: Told & { readonly state: PastState | null };
  };
  "graph.counts": { in: Record<string, never>; out: Readonly<Record<string, number>> };
  "graph.export": {
    in: { readonly path: string };
    out: { readonly path: string; readonly entities: number; readonly changes: number };
  };
  "graph.import": {
    in: { readonly path: string };
    out: { readonly entities: number; readonly added: number; readonly refused: number };
  };
}
