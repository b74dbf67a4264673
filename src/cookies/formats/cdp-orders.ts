import { DeputyError } from "../../kernel/index.ts";
import type { Cookie } from "../cookie.ts";
import { refusalReasons } from "../refusal.ts";
import { type CdpCookieParam, cookiesFromCdp, cookiesToCdp } from "./cdp.ts";

/** A cookie as a browser is asked to keep it, and as it should then say it keeps it. */
export interface CdpOrder {
  readonly cookie: Cookie;
  readonly param: CdpCookieParam;
  readonly expected: Cookie;
}

/** What to ask a browser for, cookie by cookie, and why for some there is nothing to ask. */
export function cdpOrders(
  cookies: readonly Cookie[],
  now: number,
): { orders: CdpOrder[]; refused: { readonly cookie: Cookie; readonly reason: string }[] } {
  const orders: CdpOrder[] = [];
  const refused: { cookie: Cookie; reason: string }[] = [];
  for (const cookie of cookies) {
    const { cookies: params, lost } = cookiesToCdp([cookie], { now });
    const [param] = params;
    if (param === undefined) {
      const reason = lost.find(({ field }) => field === "cookie")?.reason;
      refused.push({ cookie, reason: reason === undefined ? "no browser takes it" : refusalReasons[reason] });
      continue;
    }
    const [expected = cookie] = cookiesFromCdp([param], { now: 0 });
    orders.push({ cookie, param, expected });
  }
  return { orders, refused };
}

/** Those of a browser's cookies that can be read. One that cannot is a page's own: nothing was asked about it. */
export function readableFromCdp(list: readonly unknown[], now: number): Cookie[] {
  return list.flatMap((one) => {
    try {
      return cookiesFromCdp([one], { now });
    } catch (error) {
      if (error instanceof DeputyError) return [];
      throw error;
    }
  });
}

/** Why an order is not what the browser then has, in words; undefined where it is. */
export function whyNotKept({ expected }: CdpOrder, found: Cookie | undefined): string | undefined {
  if (found === undefined) return "the browser took it and did not keep it";
  return isKept(expected, found) ? undefined : "the browser keeps it otherwise than it was given";
}

const FACTS = ["value", "secure", "httpOnly", "sameSite", "priority", "sourceScheme"] as const;

function isKept(expected: Cookie, found: Cookie): boolean {
  return sameSecond(expected.expires, found.expires) && FACTS.every((fact) => found[fact] === expected[fact]);
}

/** Chromium keeps microseconds, the protocol speaks of seconds in floating point. */
function sameSecond(a: number | null, b: number | null): boolean {
  return a === null || b === null ? a === b : Math.abs(a - b) < 1000;
}
