import { z } from "zod";
import { DeputyError } from "../../kernel/index.ts";
import type { Cookie, PartitionKey } from "../cookie.ts";
import { parseCookie } from "../parse-cookie.ts";
import { type Loss, lossesOf } from "./loss.ts";

const capital = { low: "Low", medium: "Medium", high: "High" } as const;
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

export function cookiesToCdp(cookies: readonly Cookie[]): { cookies: CdpCookieParam[]; lost: Loss[] } {
  const params = cookies.map(toParam);
  const lost = cookies.flatMap((cookie, at) => lossesOf(cookie, fromCdpCookie(params[at], cookie.created)));
  return { cookies: params, lost };
}

export function cookiesFromCdp(list: unknown, { now = Date.now() }: { now?: number } = {}): Cookie[] {
  if (!Array.isArray(list)) throw refusal("the browser's answer is not a list");
  return list.map((one) => fromCdpCookie(one, now));
}

function toParam(cookie: Cookie): CdpCookieParam {
  const { name, value, domain, hostOnly, path, secure, httpOnly, sameSite, expires, partitionKey } = cookie;
  return {
    name,
    value,
    domain: hostOnly ? domain : `.${domain}`,
    path,
    secure,
    httpOnly,
    ...(sameSite === "unset" ? {} : { sameSite: sites[sameSite] }),
    ...(expires === null ? {} : { expires: expires / 1000 }),
    priority: capital[cookie.priority],
    sourceScheme: schemes[cookie.sourceScheme],
    sourcePort: cookie.sourcePort,
    ...(partitionKey === null ? {} : { partitionKey: toCdpPartition(partitionKey) }),
  };
}

function toCdpPartition({
  topLevelSite,
  crossSiteAncestor,
}: PartitionKey): CdpCookieParam["partitionKey"] & {} {
  return { topLevelSite, hasCrossSiteAncestor: crossSiteAncestor };
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
