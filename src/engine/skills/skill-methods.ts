import type { ResultSchema } from "../../graph/index.ts";

/** Something about a skill, at its place. */
export interface SkillProblem {
  readonly message: string;
  readonly hint?: string;
  /** Relative to the skill's folder. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

export interface SkillRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly status: "ready" | "needs-login" | "broken";
  /** Their names. */
  readonly operations: readonly string[];
  /** Why it is not ready. */
  readonly reason?: string;
  readonly origin: "bundled" | "home" | "added";
  readonly folder: string;
  readonly dev: boolean;
  /** Where weaker ones of the same id are. */
  readonly shadows: readonly string[];
}

export interface SkillDetails extends SkillRow {
  readonly website: string | null;
  readonly pin: string;
  /** Written for the ancestor. */
  readonly ancestor: boolean;
  readonly readme: string | null;
  readonly connections: readonly {
    readonly name: string;
    readonly domain: string;
    readonly base_url: string | null;
    readonly mode: string;
    readonly auth: "api_key" | "cookies" | "oauth" | "none";
    readonly optional: boolean;
    readonly hosts: readonly string[] | "any";
    readonly description: string | null;
    readonly help_url: string | null;
  }[];
  readonly tools: readonly SkillTool[];
  readonly provides: readonly {
    readonly what: string;
    readonly via: string;
    readonly urls: readonly string[];
  }[];
  readonly warnings: readonly SkillProblem[];
}

export interface SkillTool {
  readonly name: string;
  readonly description: string;
  readonly effect: "read" | "write" | "destructive";
  readonly executor: string;
  /** The default first. */
  readonly connections: readonly string[];
  readonly params: readonly {
    readonly name: string;
    readonly type: string;
    readonly required: boolean;
    readonly default?: unknown;
    readonly enum?: readonly (string | number | boolean)[];
    readonly description?: string;
  }[];
  /** `webpage[]`, `{ok: boolean}` as JSON, or null where it does not say. */
  readonly returns: unknown;
  /** The same as a JSON Schema, with what its shapes say; null where it does not say. */
  readonly returns_schema: ResultSchema | null;
  /** It supplies logins: nobody can call it. */
  readonly internal: boolean;
}

export interface SkillReport {
  readonly id: string;
  readonly errors: readonly SkillProblem[];
  readonly warnings: readonly SkillProblem[];
}

export interface SkillMethods {
  "skills.list": { in: Record<string, never>; out: readonly SkillRow[] };
  /** Says by progress what the lists are, at once and whenever they become others, until it is cancelled. */
  "skills.follow": { in: Record<string, never>; out: { readonly told: number } };
  "skills.show": { in: { readonly skill: string }; out: SkillDetails };
  /** Ids, or folders anywhere; all skills where none is named. A `path` is what a name would be as one. */
  "skills.validate": {
    in: { readonly targets?: readonly { readonly name: string; readonly path: string }[] };
    out: { readonly ok: boolean; readonly skills: readonly SkillReport[] };
  };
  /** Into the home's own skills, unless a folder is given. */
  "skills.new": {
    in: { readonly name: string; readonly folder?: string; readonly local?: boolean };
    out: { readonly id: string; readonly folder: string; readonly files: readonly string[] };
  };
  "skills.add": {
    in: { readonly path: string; readonly dev?: boolean };
    out: { readonly added: readonly SkillRow[] };
  };
  "skills.remove": {
    in: { readonly skill: string };
    /** `now`: where the one that stands in its place comes from. */
    out: { readonly removed: string; readonly folder: string; readonly now: string | null };
  };
}
