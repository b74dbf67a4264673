import type { Tab } from "../session.ts";

/** An element: a reference of a snapshot (`e12`), or a CSS selector, of which the first that fits is meant. */
export type ElementName = string;

/** What can be done with a tab. */
export type Action =
  | { readonly do: "goto"; readonly url: string }
  | { readonly do: "back" }
  | { readonly do: "snapshot" }
  | { readonly do: "screenshot"; readonly element?: ElementName; readonly full?: boolean }
  | {
      readonly do: "click";
      readonly element: ElementName;
      readonly button?: "left" | "middle" | "right";
      readonly double?: boolean;
    }
  | { readonly do: "hover"; readonly element: ElementName }
  /** Key by key, after what the field has. */
  | { readonly do: "type"; readonly element: ElementName; readonly text: string; readonly enter?: boolean }
  /** At once, in the place of what the field has. */
  | { readonly do: "fill"; readonly element: ElementName; readonly text: string }
  | { readonly do: "press"; readonly key: string; readonly element?: ElementName }
  | { readonly do: "select"; readonly element: ElementName; readonly options: readonly string[] }
  /** To an element, or by so many pixels; without either nearly a page down. */
  | { readonly do: "scroll"; readonly element?: ElementName; readonly x?: number; readonly y?: number }
  /** With an element the script is a function that takes it. */
  | { readonly do: "evaluate"; readonly script: string; readonly element?: ElementName }
  | Wait;

/** Until all that is named holds. */
export interface Wait {
  readonly do: "wait";
  readonly text?: string;
  readonly text_gone?: string;
  readonly element?: ElementName;
  readonly gone?: ElementName;
  readonly load?: boolean;
  readonly ms?: number;
}

export interface ActRequest {
  readonly action: Action;
  /** Default: one that was opened since the last action, or else the one that was in. */
  readonly tab?: string | undefined;
  /** Whether the page as it is afterwards is told. */
  readonly snapshot?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  /** What dialogs of the page are answered with; default: cancelled. */
  readonly acceptDialogs?: boolean | undefined;
}

export interface ActResult {
  readonly tab: string;
  readonly url: string;
  readonly title: string;
  /** In words. */
  readonly did: string;
  /** What a script came to. */
  readonly value?: unknown;
  /** base64 */
  readonly png?: string;
  readonly snapshot?: string;
  /** What dialogs of the page said. */
  readonly dialogs: readonly string[];
  /** Tabs the page opened meanwhile. */
  readonly opened: readonly Tab[];
}
