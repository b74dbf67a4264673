import type { RunMethods } from "./run-methods.ts";
import type { SkillTool } from "./skill-methods.ts";

export interface CapabilityRow {
  readonly tool: string;
  readonly description: string;
  /** Those that every provider takes. */
  readonly params: SkillTool["params"];
  /** What every provider returns, as a JSON Schema; null where they differ, or do not say. */
  readonly returns_schema: SkillTool["returns_schema"];
  readonly providers: readonly {
    readonly skill: string;
    readonly operation: string;
    readonly effect: SkillTool["effect"];
    readonly urls: readonly string[];
    /** `granted`: there is a login, and this caller may use it. */
    readonly standing: "granted" | "anonymous" | "not-granted" | "no-login";
  }[];
}

type Run = RunMethods["run"];

export interface CapabilityMethods {
  "capabilities.list": { in: Record<string, never>; out: readonly CapabilityRow[] };
  "capabilities.call": {
    in: Omit<Run["in"], "skill" | "operation"> & {
      readonly tool: string;
      /** Which of the skills that provide it. */
      readonly skill?: string;
    };
    out: Run["out"] & {
      readonly route: {
        readonly skill: string;
        readonly operation: string;
        readonly why: "asked-for" | "address" | "login" | "anonymous" | "nothing-ready";
      };
    };
  };
}
