import type { OperationReport } from "../../skills/index.ts";

export type { OperationReport };

export interface SkillTestReport {
  readonly ok: boolean;
  readonly skill: string;
  readonly mode: "live" | "record" | "replay";
  /** Where what was said is kept; null for a live test. */
  readonly cassette: string | null;
  readonly tested: number;
  readonly failed: number;
  readonly skipped: number;
  readonly operations: readonly OperationReport[];
}

export interface SkillTestMethods {
  "skills.test": {
    in: {
      readonly skill: string;
      readonly operation?: string;
      readonly mode: SkillTestReport["mode"];
      /** Also what changes things. */
      readonly write?: boolean;
      readonly account?: string;
      /** Instead of the one in Deputy's home. */
      readonly cassette?: string;
    };
    out: SkillTestReport;
  };
}
