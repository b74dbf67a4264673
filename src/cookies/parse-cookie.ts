import { z } from "zod";
import { DeputyError } from "../kernel/index.ts";
import { classify } from "./classify.ts";
import type { Cookie } from "./cookie.ts";
import { canonicalHost } from "./host.ts";
import { fitsHeader } from "./sent-to.ts";

/** The last a Date can hold. */
const LATEST = 8.64e15;
const time = z.number().min(-LATEST).max(LATEST);

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
  const cookie = isComplete(input) ? input : complete(input, now);
  const domain = canonicalHost(cookie.domain);
  if (domain === undefined) throw refusal("domain is not a host name");
  if (cookie.name === "" && cookie.value === "") throw refusal("name and value are both empty");
  if (!fitsHeader(cookie)) throw refusal("name or value contains a control character or a semicolon");
  return domain === cookie.domain ? cookie : { ...cookie, domain };
}

function complete(input: unknown, now: number): Cookie {
  const parsed = record.safeParse(input);
  if (!parsed.success) throw refusal(parsed.error.issues.map(describe).join("; "));
  const { kind, created = now, updated = created, ...rest } = parsed.data;
  const cookie = { ...rest, created, updated };
  return { ...cookie, kind: kind ?? classify(cookie).kind };
}

const SAME_SITES = new Set<unknown>(record.shape.sameSite.unwrap().options);
const SOURCE_SCHEMES = new Set<unknown>(record.shape.sourceScheme.unwrap().options);
const PRIORITIES = new Set<unknown>(record.shape.priority.unwrap().options);
const KINDS = new Set<unknown>(record.shape.kind.unwrap().options);
const FIELDS = Object.keys(record.shape).length;

/**
 * What the schema would leave as it is: records we wrote ourselves come back by the thousand, and this costs a tenth.
 * Whatever it does not recognise is the schema's to judge.
 */
function isComplete(input: unknown): input is Cookie {
  if (typeof input !== "object" || input === null || Object.keys(input).length !== FIELDS) return false;
  const one: { readonly [field in keyof Cookie]?: unknown } = input;
  return (
    typeof one.name === "string" &&
    typeof one.value === "string" &&
    typeof one.domain === "string" &&
    typeof one.hostOnly === "boolean" &&
    typeof one.path === "string" &&
    one.path.startsWith("/") &&
    (one.expires === null || isTime(one.expires)) &&
    typeof one.secure === "boolean" &&
    typeof one.httpOnly === "boolean" &&
    SAME_SITES.has(one.sameSite) &&
    one.partitionKey === null &&
    SOURCE_SCHEMES.has(one.sourceScheme) &&
    isPort(one.sourcePort) &&
    PRIORITIES.has(one.priority) &&
    isTime(one.created) &&
    isTime(one.updated) &&
    KINDS.has(one.kind)
  );
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && value >= -LATEST && value <= LATEST;
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= -1 && Number(value) <= 65_535;
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `unknown field ${issue.keys.join(", ")}`;
  return issue.path.length === 0 ? "it is not an object" : `${issue.path.join(".")} is not right`;
}

function refusal(what: string): DeputyError {
  return new DeputyError("BAD_INPUT", `Cannot use a cookie record: ${what}`, { hint: HINT });
}
