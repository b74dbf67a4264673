import { type CdpConnection, setCookies } from "../../cdp/index.ts";
import {
  type CdpCookieParam,
  type Cookie,
  cookieKey,
  cookiesFromCdp,
  cookiesToCdp,
  refusalReasons,
} from "../../cookies/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Refused } from "../session.ts";

interface Order {
  readonly cookie: Cookie;
  readonly param: CdpCookieParam;
  readonly expected: Cookie;
}

/** What became of every cookie. */
export interface Placed {
  /** As the browser holds them. */
  readonly cookies: readonly Cookie[];
  readonly refused: readonly Refused[];
}

/** Puts cookies into a new context, reads them back and accounts for each. */
export async function placeCookies(
  connection: CdpConnection,
  contextId: string,
  cookies: readonly Cookie[],
  now: number,
): Promise<Placed> {
  const refused: Refused[] = [];
  const refuse = ({ name, domain }: Cookie, reason: string) => refused.push({ name, domain, reason });
  const orders = cookies.flatMap((cookie): Order[] => {
    const { cookies: params, lost } = cookiesToCdp([cookie], { now });
    const [param] = params;
    if (param !== undefined)
      return [{ cookie, param, expected: cookiesFromCdp([param], { now: 0 })[0] ?? cookie }];
    const reason = lost.find(({ field }) => field === "cookie")?.reason;
    refuse(cookie, reason === undefined ? "no browser takes it" : refusalReasons[reason]);
    return [];
  });
  if (orders.length === 0) return { cookies: [], refused };
  const unwanted = await setCookies(connection, orders, { browserContextId: contextId });
  const there = new Map((await cookiesIn(connection, contextId, now)).map((one) => [cookieKey(one), one]));
  const placed: Cookie[] = [];
  for (const order of orders) {
    const { cookie, expected } = order;
    const found = there.get(cookieKey(expected));
    const reason = unwanted.has(order)
      ? "the browser takes no such cookie"
      : found === undefined
        ? "the browser took it and did not keep it"
        : isSame(expected, found)
          ? undefined
          : "the browser keeps it otherwise than it was given";
    if (reason !== undefined) refuse(cookie, reason);
    if (found !== undefined) placed.push(found);
  }
  return { cookies: placed, refused };
}

/** A context's cookies. One that cannot be read is a page's own, and nothing was asked about it. */
export async function cookiesIn(
  connection: CdpConnection,
  contextId: string,
  now: number,
): Promise<Cookie[]> {
  const { cookies } = await connection.call("Storage.getCookies", { browserContextId: contextId });
  if (!Array.isArray(cookies)) throw new DeputyError("PROTOCOL", "The browser answered without cookies");
  return cookies.flatMap((one: unknown) => {
    try {
      return cookiesFromCdp([one], { now });
    } catch (error) {
      if (error instanceof DeputyError) return [];
      throw error;
    }
  });
}

function isSame(expected: Cookie, found: Cookie): boolean {
  const ends = [expected.expires, found.expires];
  // Chromium keeps microseconds, the protocol speaks of seconds in floating point.
  const together = ends.includes(null)
    ? ends[0] === ends[1]
    : Math.abs(Number(ends[0]) - Number(ends[1])) < 1000;
  const facts = ["value", "secure", "httpOnly", "sameSite", "priority", "sourceScheme"] as const;
  return together && facts.every((fact) => found[fact] === expected[fact]);
}
