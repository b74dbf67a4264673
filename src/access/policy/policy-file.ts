import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import { z } from "zod";
import { DeputyError } from "../../kernel/index.ts";
import { writeFileAtomic } from "../../platform/index.ts";
import {
  closedPolicy,
  createPolicy,
  type HostMatch,
  NO_POLICY,
  type Policy,
  type PolicyDocument,
} from "./policy.ts";

/** Loaded by who has a policy: it is the largest thing an engine would start with. */
const yaml = () => createRequire(import.meta.url)("yaml") as typeof Yaml;

interface PolicyFileOptions {
  readonly path: string;
  readonly matches: HostMatch;
  /** A pattern as it is compared; throws where it is none. */
  readonly parsePattern: (text: string) => string;
}

/** `policy.yaml`, read anew whenever it is asked: the owner may just have changed it. */
export class PolicyFile {
  readonly #options: PolicyFileOptions;

  constructor(options: PolicyFileOptions) {
    this.#options = options;
  }

  /** Throws BAD_CONFIG where it cannot be read. */
  read(): PolicyDocument {
    const { path, parsePattern } = this.#options;
    if (!existsSync(path)) return NO_POLICY;
    const fail = (why: string, cause?: unknown) =>
      new DeputyError("BAD_CONFIG", `Cannot use ${path}: ${why}`, {
        hint: "Until it is corrected or removed, no login goes to a surface or a peer.",
        cause,
      });
    let content: unknown;
    try {
      content = yaml().parse(readFileSync(path, "utf8"));
    } catch (cause) {
      throw fail("it cannot be read", cause);
    }
    const pattern = z.string().transform((text, context) => {
      try {
        return parsePattern(text);
      } catch {
        context.addIssue("it is not a host");
        return z.NEVER;
      }
    });
    const rules = {
      mode: z.enum(["blocklist", "allowlist"]).default("blocklist"),
      allow: z.array(pattern).default([]),
      block: z.array(pattern).default([]),
    };
    const schema = z.strictObject({
      ...rules,
      peers: z.record(z.string(), z.strictObject(rules)).default({}),
    });
    const parsed = schema.safeParse(content);
    if (parsed.success) return parsed.data;
    throw fail(`${parsed.error.issues.map((issue) => issue.path.join(".") || "it").join(", ")} is not right`);
  }

  /** Never throws for what is in the file: a broken one closes everything. */
  policy(): Policy {
    try {
      return createPolicy(this.read(), this.#options.matches);
    } catch (error) {
      if (!(error instanceof DeputyError)) throw error;
      return closedPolicy(error.message);
    }
  }

  /** Puts a pattern on one list and takes it off the other. Replaces the file, comments included. */
  set(list: "allow" | "block", text: string, only = false): PolicyDocument {
    const pattern = this.#options.parsePattern(text);
    const before = this.read();
    const other = list === "allow" ? "block" : "allow";
    const after: PolicyDocument = {
      ...before,
      ...(only ? { mode: "allowlist" } : {}),
      [list]: [...new Set([...before[list], pattern])].sort(),
      [other]: before[other].filter((one) => one !== pattern),
    };
    writeFileAtomic(this.#options.path, yaml().stringify(after));
    return after;
  }
}
