import type { SameSite, SourceScheme, Unlabelled } from "../cookies/index.ts";
import { type OriginAttributes, partitionOf } from "./origin-attributes.ts";

// netwerk/cookie/nsICookie.idl
const SAME_SITE: Record<number, SameSite> = { 0: "none", 1: "lax", 2: "strict", 256: "unset" };
const SCHEME = { http: 1, https: 2 };

/** What the database and the session store both know of a cookie, not yet believed. */
interface FirefoxFields {
  readonly name: unknown;
  readonly value: unknown;
  readonly host: unknown;
  readonly path: unknown;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite: number;
  /** Bits: which schemes it was set over. */
  readonly schemeMap: number;
  /** Milliseconds, or null for a session cookie. */
  readonly expires: number | null;
  readonly created: number;
  readonly updated: number;
}

/** Undefined where the fields make no cookie. */
export function firefoxCookie(fields: FirefoxFields, attributes: OriginAttributes): Unlabelled | undefined {
  const { name, value, host, path } = fields;
  if (typeof name !== "string" || typeof value !== "string" || typeof host !== "string") return undefined;
  if (typeof path !== "string" || !path.startsWith("/") || host.length < 2) return undefined;
  const hostOnly = !host.startsWith(".");
  const domain = (hostOnly ? host : host.slice(1)).toLowerCase();
  return {
    name,
    value,
    domain,
    hostOnly,
    path,
    expires: fields.expires,
    secure: fields.secure,
    httpOnly: fields.httpOnly,
    sameSite: SAME_SITE[fields.sameSite] ?? "unset",
    partitionKey: partitionOf(attributes, domain),
    sourceScheme: sourceScheme(fields.schemeMap),
    // Firefox keeps neither of the two.
    sourcePort: -1,
    priority: "medium",
    created: fields.created,
    updated: fields.updated,
  };
}

function sourceScheme(map: number): SourceScheme {
  if ((map & SCHEME.https) !== 0) return "secure";
  return (map & SCHEME.http) === 0 ? "unset" : "nonsecure";
}
