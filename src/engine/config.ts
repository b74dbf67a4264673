import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import { z } from "zod";
import { DeputyError } from "../kernel/index.ts";
import { browserConfig, sessionConfig } from "./sessions/session-config.ts";
import { surfaceConfig } from "./delivery/surface-config.ts";

/** Loaded by who has a config: it is the largest thing an engine would start with. */
const yaml = () => createRequire(import.meta.url)("yaml") as typeof Yaml;

const address = z.union([z.ipv4(), z.ipv6()]);

const schema = z.strictObject({
  /** Names to addresses of the owner's choosing: the only way a name may lead to a private address. */
  resolve: z
    .record(z.string().toLowerCase(), z.union([address.transform((one) => [one]), z.array(address).min(1)]))
    .prefault({}),
  /** A PEM file of roots to trust beside the usual ones. */
  roots: z.string().optional(),
  proxy: z.url().optional(),
  /** Where logins are delivered to: see docs/surfaces.md. */
  surfaces: surfaceConfig,
  /** What sessions run in: see docs/sessions.md. */
  browser: browserConfig,
  sessions: sessionConfig,
  /** The certificate a sink shows, and its key, as PEM files; without, it speaks HTTP: what it takes is sealed anyway. */
  sync: z
    .strictObject({ tls: z.strictObject({ cert: z.string(), key: z.string() }).optional() })
    .prefault({}),
  engine: z.strictObject({ idle_minutes: z.number().positive().max(100_000).default(30) }).prefault({}),
});

export type Config = z.infer<typeof schema>;

/** A config that cannot be used must not stop the engine that would say so: it comes with its problem. */
export function readConfig(path: string): { value: Config; problem: DeputyError | undefined } {
  const defaults = schema.parse({});
  if (!existsSync(path)) return { value: defaults, problem: undefined };
  const fail = (why: string) => ({
    value: defaults,
    problem: new DeputyError("BAD_CONFIG", `Cannot use ${path}: ${why}`, {
      hint: "Correct or remove it, then deputy engine stop: the next command starts with the new one.",
    }),
  });
  let content: unknown;
  try {
    content = yaml().parse(readFileSync(path, "utf8")) ?? {};
  } catch (error) {
    return fail(error instanceof Error ? (error.message.split("\n")[0] ?? "") : "it is not YAML");
  }
  const parsed = schema.safeParse(content);
  if (parsed.success) return { value: parsed.data, problem: undefined };
  return fail(parsed.error.issues.map(describe).join("; "));
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys")
    return `there is no setting ${[...issue.path, issue.keys.join(", ")].join(".")}`;
  return `${issue.path.join(".") || "it"} is not right (${issue.message})`;
}
