import { z } from "zod";
import { DeputyError } from "../kernel/index.ts";
import { classify } from "./classify.ts";
import type { Cookie } from "./cookie.ts";
import { canonicalHost } from "./host.ts";
import { isUsable } from "./sent-to.ts";

const time = z.number().min(-8.64e15).max(8.64e15);

/** The JSON of a cookie as others may write it: only name, value and domain are required. */
const record = z.strictObject({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  hostOnly: z.boolean().default(false),
  path: z.string().startsWith("/").default("/"),
  expires: time.nullable().default(null),
  secure: z.boolean().default(false),
  httpOnly: z.boolean().default(false),
  sameSite: z.enum(["unset", "none", "lax", "strict"]).default("unset"),
  partitionKey: z
    .strictObject({ topLevelSite: z.string(), crossSiteAncestor: z.boolean().default(false) })
    .nullable()
    .default(null),
  sourceScheme: z.enum(["unset", "nonsecure", "secure"]).default("unset"),
  sourcePort: z.int().min(-1).max(65_535).default(-1),
  priority: z.enum(["low", "medium", "high"]).default("medium"),
  created: time.optional(),
  updated: time.optional(),
  kind: z.enum(["portable", "partitioned", "session", "device-bound-suspect"]).optional(),
});

const HINT = 'The least a cookie needs is {"name": "sid", "value": "…", "domain": "example.com"}';

/** A record from outside as a Cookie. What is wrong is said by field; a value is never repeated. */
export function parseCookie(input: unknown, { now = Date.now() }: { now?: number } = {}): Cookie {
  const parsed = record.safeParse(input);
  if (!parsed.success) throw refusal(parsed.error.issues.map(describe).join("; "));
  const { kind, created = now, updated = created, domain: written, ...rest } = parsed.data;
  const domain = canonicalHost(written);
  if (domain === undefined) throw refusal("domain is not a host name");
  const cookie = { ...rest, domain, created, updated };
  const labelled = { ...cookie, kind: kind ?? classify(cookie).kind };
  if (cookie.name === "" && cookie.value === "") throw refusal("name and value are both empty");
  if (!isUsable({ ...labelled, expires: null }, now))
    throw refusal("name or value contains a control character or a semicolon");
  return labelled;
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `unknown field ${issue.keys.join(", ")}`;
  return issue.path.length === 0 ? "it is not an object" : `${issue.path.join(".")} is not right`;
}

function refusal(what: string): DeputyError {
  return new DeputyError("BAD_INPUT", `Cannot use a cookie record: ${what}`, { hint: HINT });
}
