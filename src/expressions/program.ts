import type { JoinedText } from "./joined-text.ts";
import type { Plain } from "./plain-expression.ts";
import type { Path } from "./plain-path.ts";

/** Where a template stands. `field` is the place within the operation, such as `rest.body`. */
export interface SourceRef {
  readonly skill: string;
  readonly operation?: string | undefined;
  readonly field?: string | undefined;
}

/** The names an expression may begin its paths with; `any` where the input is a service's answer. */
export type Roots = readonly string[] | "any";

export interface Scope {
  readonly where: SourceRef;
  readonly roots: Roots;
}

/** Any JSON value. The strings in it are text or expressions; keys are always text. */
export type Template =
  | null
  | boolean
  | number
  | string
  | readonly Template[]
  | { readonly [key: string]: Template };

/** A string that begins like an expression, does not compile, and was therefore taken as text. */
export interface TextWarning {
  readonly field: string;
  readonly text: string;
  readonly reason: string;
}

/** One expression of a program that jq evaluates. */
export interface JqField {
  readonly field: string;
  readonly expression: string;
  /** Where it only puts texts together: jq is then asked only about parts that are none. */
  readonly joined?: JoinedText | undefined;
  /** Where it is simple: jq is then asked only where that is not simply so. */
  readonly plain?: Plain | undefined;
}

/** A compiled template. It holds no secret and may be kept and run any number of times. */
export interface Program {
  readonly where: SourceRef;
  readonly roots: Roots;
  readonly warnings: readonly TextWarning[];
  readonly tree: Node;
  /** The one jq program of all `fields`, in their order; undefined where none needs jq. */
  readonly jq: { readonly text: string; readonly fields: readonly JqField[] } | undefined;
}

export type Node =
  | { readonly kind: "text"; readonly value: null | boolean | number | string }
  | { readonly kind: "path"; readonly path: Path; readonly field: string; readonly expression: string }
  | { readonly kind: "jq"; readonly index: number }
  | { readonly kind: "array"; readonly items: readonly Node[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [string, Node])[] };
