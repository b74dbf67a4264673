import { z } from "zod";
import { DeputyError } from "../../kernel/index.ts";
import type { Cookie } from "../cookie.ts";
import { latestExpiry } from "../cookie-expiry.ts";
import { parseCookie } from "../parse-cookie.ts";
import { recordRefusal } from "../record-refusal.ts";
import { registrableDomain } from "../registrable-domain.ts";
import { type Loss, NEVER, writeAndCompare } from "./loss.ts";

const priorities = { low: "Low", medium: "Medium", high: "High" } as const;
const sites = { none: "None", lax: "Lax", strict: "Strict" } as const;
const schemes = { unset: "Unset", nonsecure: "NonSecure", secure: "Secure" } as const;

/**
 * A cookie as `Storage.setCookies` and `Network.setCookies` take it. A leading dot in `domain` makes a domain cookie,
 * none a host-only one; `url` is left out because an https URL would make every cookie Secure.
 */
export interface CdpCookieParam {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite?: "Strict" | "Lax" | "None";
  /** Seconds since 1970. Left out for a session cookie: -1 would be a date in the past. */
  readonly expires?: number;
  readonly priority: "Low" | "Medium" | "High";
  readonly sourceScheme: "Unset" | "NonSecure" | "Secure";
  readonly sourcePort: number;
  readonly partitionKey?: { readonly topLevelSite: string; readonly hasCrossSiteAncestor: boolean };
}

/** `Network.Cookie`, as `Storage.getCookies` answers. Fields we do not use may come and go. */
const networkCookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  expires: z.number().default(-1),
  session: z.boolean().optional(),
  httpOnly: z.boolean().default(false),
  secure: z.boolean().default(false),
  sameSite: z.enum(["Strict", "Lax", "None"]).optional(),
  priority: z.enum(["Low", "Medium", "High"]).default("Medium"),
  sourceScheme: z.enum(["Unset", "NonSecure", "Secure"]).default("Unset"),
  sourcePort: z.number().default(-1),
  partitionKey: z
    .object({ topLevelSite: z.string(), hasCrossSiteAncestor: z.boolean().default(false) })
    .optional(),
  partitionKeyOpaque: z.boolean().optional(),
});

/** Cookies Chromium refuses are left out and reported: one of them would make it refuse them all. */
export function cookiesToCdp(
  cookies: readonly Cookie[],
  { now = Date.now() }: { now?: number } = {},
): { cookies: CdpCookieParam[]; lost: Loss[] } {
  const { written, lost } = writeAndCompare(cookies, {
    refuse: (cookie) => recordRefusal(cookie, now),
    write: (cookie) => toParam(cookie, now),
    read: (param) => fromCdpCookie(param, NEVER),
  });
  return { cookies: written, lost };
}

export function cookiesFromCdp(list: unknown, { now = Date.now() }: { now?: number } = {}): Cookie[] {
  if (!Array.isArray(list)) throw refusal("the browser's answer is not a list");
  return list.map((one) => fromCdpCookie(one, now));
}

/** Says outright what Chromium would otherwise change without a word, so that the change is reported. */
function toParam(cookie: Cookie, now: number): CdpCookieParam {
  const { domain, secure, sameSite, sourceScheme, expires, partitionKey } = cookie;
  // A public suffix has no domain cookies: Chromium makes them host-only.
  const hostOnly = cookie.hostOnly || registrableDomain(domain) === null;
  return {
    name: cookie.name,
    value: cookie.value,
    domain: hostOnly ? domain : `.${domain}`,
    path: canonicalPath(cookie.path),
    secure,
    httpOnly: cookie.httpOnly,
    ...(sameSite === "unset" ? {} : { sameSite: sites[sameSite] }),
    ...(expires === null ? {} : { expires: latestExpiry(expires, now) / 1000 }),
    priority: priorities[cookie.priority],
    // Chromium answers "Invalid cookie fields" to a Secure cookie from a plain origin.
    sourceScheme: schemes[secure && sourceScheme === "nonsecure" ? "secure" : sourceScheme],
    sourcePort: cookie.sourcePort,
    ...(partitionKey !== null && {
      partitionKey: {
        topLevelSite: partitionKey.topLevelSite,
        hasCrossSiteAncestor: partitionKey.crossSiteAncestor,
      },
    }),
  };
}

/** As a URL would write it: escaped, and without `.` and `..`. */
function canonicalPath(path: string): string {
  return new URL(`http://host${path.replace(/[?#]/g, encodeURIComponent)}`).pathname;
}

function fromCdpCookie(one: unknown, now: number): Cookie {
  const parsed = networkCookie.safeParse(one);
  if (!parsed.success) throw refusal(`${parsed.error.issues[0]?.path.join(".")} is not what it should be`);
  const { session, partitionKeyOpaque, partitionKey, expires, sameSite, priority, sourceScheme, ...rest } =
    parsed.data;
  if (partitionKeyOpaque === true) throw refusal("it belongs to a partition without an address");
  return parseCookie(
    {
      ...rest,
      hostOnly: !rest.domain.startsWith("."),
      // Chromium says -1 for a session cookie, and would answer so for one that ended just before 1970.
      expires: session === true || expires === -1 ? null : Math.round(expires * 1000),
      sameSite: sameSite?.toLowerCase() ?? "unset",
      partitionKey: partitionKey && {
        topLevelSite: partitionKey.topLevelSite,
        crossSiteAncestor: partitionKey.hasCrossSiteAncestor,
      },
      priority: priority.toLowerCase(),
      sourceScheme: sourceScheme.toLowerCase(),
    },
    { now },
  );
}

function refusal(what: string): DeputyError {
  return new DeputyError("BAD_INPUT", `Cannot read a cookie of the browser: ${what}`);
}
