import { type CdpConnection, getCookies, setCookies } from "../../cdp/index.ts";
import { cdpOrders, type Cookie, cookieKey, readableFromCdp, whyNotKept } from "../../cookies/index.ts";
import type { Refused } from "../session.ts";

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
  const { orders, refused: unaskable } = cdpOrders(cookies, now);
  const refused = unaskable.map(({ cookie, reason }) => refusalOf(cookie, reason));
  if (orders.length === 0) return { cookies: [], refused };
  const unwanted = await setCookies(connection, orders, { browserContextId: contextId });
  const there = new Map((await cookiesIn(connection, contextId, now)).map((one) => [cookieKey(one), one]));
  const placed: Cookie[] = [];
  for (const order of orders) {
    const found = there.get(cookieKey(order.expected));
    const reason = unwanted.has(order) ? "the browser takes no such cookie" : whyNotKept(order, found);
    if (reason !== undefined) refused.push(refusalOf(order.cookie, reason));
    if (found !== undefined) placed.push(found);
  }
  return { cookies: placed, refused };
}

export async function cookiesIn(
  connection: CdpConnection,
  contextId: string,
  now: number,
): Promise<Cookie[]> {
  return readableFromCdp(await getCookies(connection, { browserContextId: contextId }), now);
}

function refusalOf({ name, domain }: Cookie, reason: string): Refused {
  return { name, domain, reason };
}
