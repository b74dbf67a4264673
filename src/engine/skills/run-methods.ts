import type { RunMeta as SkillRunMeta } from "../../skills/index.ts";

export interface RunMeta extends SkillRunMeta {
  /** Entities of the result that are in the graph now; null where none were to be. */
  readonly remembered: number | null;
}

export interface RunMethods {
  run: {
    in: {
      readonly skill: string;
      readonly operation: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly account?: string;
      readonly provider?: string;
      readonly connection?: string;
      readonly detail: "preview" | "full";
      readonly format: "markdown" | "json";
      /** Also the result itself, as much of it as `detail` says. */
      readonly with_data?: boolean;
      /** Default true. */
      readonly remember?: boolean;
    };
    out: {
      /** In the format asked for. */
      readonly text: string;
      readonly data?: unknown;
      readonly meta: RunMeta;
    };
  };
  "skills.clear": {
    in: { readonly skill: string; readonly cache?: boolean; readonly data?: boolean };
    out: { readonly removed: number };
  };
}
