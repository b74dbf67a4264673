import type { CdpConnection } from "../../cdp/index.ts";
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
  const reasons = await order(connection, contextId, orders);
  const there = new Map((await cookiesIn(connection, contextId, now)).map((one) => [cookieKey(one), one]));
  const placed: Cookie[] = [];
  for (const { cookie, expected } of orders) {
    const found = there.get(cookieKey(expected));
    const reason =
      reasons.get(cookie) ??
      (found === undefined
        ? "the browser took it and did not keep it"
        : isSame(expected, found)
          ? undefined
          : "the browser keeps it otherwise than it was given");
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

/** All at once; where the browser refuses the batch for one of them, one by one, to know which. */
async function order(
  connection: CdpConnection,
  browserContextId: string,
  orders: readonly Order[],
): Promise<Map<Cookie, string>> {
  const set = (some: readonly Order[]) =>
    connection.call("Storage.setCookies", { cookies: some.map(({ param }) => param), browserContextId });
  const reasons = new Map<Cookie, string>();
  try {
    await set(orders);
    return reasons;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  for (const one of orders) {
    try {
      await set([one]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      reasons.set(one.cookie, "the browser takes no such cookie");
    }
  }
  return reasons;
}

function isRefusal(error: unknown): boolean {
  return error instanceof DeputyError && error.message.startsWith("The browser refused");
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
