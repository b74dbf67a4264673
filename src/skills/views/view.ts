import type { Returns } from "../../graph/index.ts";

/** `detail` is how much, `format` how it is written. */
export interface View {
  readonly detail: "preview" | "full";
  readonly format: "markdown" | "json";
}

/** What is drawn: a result that was checked against its shape. */
export interface Viewed {
  readonly data: unknown;
  readonly returns: Returns | string | undefined;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** How to ask for more, in the words of whoever asked: a command line or a tool call. */
  readonly more?: {
    readonly full?: string;
    readonly next?: string;
    readonly get?: string;
  };
}
