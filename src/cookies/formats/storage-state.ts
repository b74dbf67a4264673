import { z } from "zod";
import { DeputyError } from "../../kernel/index.ts";
import type { Cookie } from "../cookie.ts";
import { parseCookie } from "../parse-cookie.ts";
import { recordRefusal } from "../record-refusal.ts";
import { parseJson } from "./json-records.ts";
import { type Loss, NEVER, type Skipped, writeAndCompare } from "./loss.ts";

const sites = { none: "None", lax: "Lax", strict: "Strict" } as const;

/** Playwright's storage state; `_crHasCrossSiteAncestor` is its name for the other half of a partition key. */
const storageState = z.object({
  cookies: z.array(
    z.object({
      name: z.string(),
      value: z.string(),
      domain: z.string(),
      path: z.string().default("/"),
      expires: z.number().default(-1),
      httpOnly: z.boolean().default(false),
      secure: z.boolean().default(false),
      sameSite: z.enum(["Strict", "Lax", "None"]).optional(),
      partitionKey: z.string().optional(),
      _crHasCrossSiteAncestor: z.boolean().default(false),
    }),
  ),
  origins: z.array(z.unknown()).default([]),
});

type StateCookie = z.input<typeof storageState>["cookies"][number];

/**
 * What `browser.newContext({ storageState })` reads. SameSite is left out where it is unset: "Lax" would say more.
 * Cookies a browser refuses are left out too, because one of them makes it refuse the whole state.
 */
export function cookiesToStorageState(
  cookies: readonly Cookie[],
  { now = Date.now() }: { now?: number } = {},
): { text: string; lost: Loss[] } {
  const { written, lost } = writeAndCompare(cookies, {
    refuse: (cookie) => recordRefusal(cookie, now),
    write: toStateCookie,
    read: (one) => cookiesFromStorageState(JSON.stringify({ cookies: [one] }), { now: NEVER }).cookies[0],
  });
  return { text: `${JSON.stringify({ cookies: written, origins: [] }, null, 2)}\n`, lost };
}

export function cookiesFromStorageState(
  text: string,
  { now = Date.now() }: { now?: number } = {},
): { cookies: Cookie[]; skipped: Skipped[] } {
  const parsed = storageState.safeParse(parseJson(text));
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join(".");
    throw new DeputyError(
      "BAD_INPUT",
      `Cannot read the storage state: ${where || "it"} is not what it should be`,
      {
        hint: "Playwright writes one with context.storageState()",
      },
    );
  }
  const { cookies, origins } = parsed.data;
  const skipped = origins.map((_, at) => ({
    where: `origins.${at}`,
    reason: "local storage is not cookies",
  }));
  return { cookies: cookies.map((one) => fromStateCookie(one, now)), skipped };
}

function toStateCookie(cookie: Cookie): StateCookie {
  const { name, value, domain, hostOnly, path, expires, httpOnly, secure, sameSite, partitionKey } = cookie;
  return {
    name,
    value,
    domain: hostOnly ? domain : `.${domain}`,
    path,
    expires: expires === null ? -1 : expires / 1000,
    httpOnly,
    secure,
    ...(sameSite === "unset" ? {} : { sameSite: sites[sameSite] }),
    ...(partitionKey !== null && {
      partitionKey: partitionKey.topLevelSite,
      _crHasCrossSiteAncestor: partitionKey.crossSiteAncestor,
    }),
  };
}

function fromStateCookie(one: z.output<typeof storageState>["cookies"][number], now: number): Cookie {
  const { expires, sameSite, partitionKey, _crHasCrossSiteAncestor: crossSiteAncestor, ...rest } = one;
  return parseCookie(
    {
      ...rest,
      hostOnly: !one.domain.startsWith("."),
      expires: expires === -1 ? null : Math.round(expires * 1000),
      sameSite: sameSite?.toLowerCase() ?? "unset",
      partitionKey: partitionKey === undefined ? null : { topLevelSite: partitionKey, crossSiteAncestor },
    },
    { now },
  );
}
