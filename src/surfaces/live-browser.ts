import { type CdpConnection, connectCdp, setCookies } from "../cdp/index.ts";
import {
  type CdpCookieParam,
  type Cookie,
  cookieKey,
  cookiesFromCdp,
  cookiesToCdp,
  refusalReasons,
} from "../cookies/index.ts";
import { type Clock, DeputyError } from "../kernel/index.ts";
import { type Deletion, type Refusal, refuse, type Surface } from "./surface.ts";

export interface LiveSurfaceOptions {
  /** `http://127.0.0.1:9222`, the `ws://` address the browser printed, or a connection that is kept open by others. */
  readonly endpoint: string | CdpConnection;
  /** One of the browser's contexts. Default: its first profile. */
  readonly context?: string;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}

/** A cookie as the browser is asked to keep it, and as it should then say it keeps it. */
interface Order {
  readonly cookie: Cookie;
  readonly param: CdpCookieParam;
  readonly expected: Cookie;
}

/** A running browser's own memory. Every cookie is placed, read back and accounted for. */
export function createLiveSurface(options: LiveSurfaceOptions): Surface {
  const { endpoint, context, clock, timeoutMs = 10_000 } = options;
  const scope = context === undefined ? {} : { browserContextId: context };
  const target =
    typeof endpoint === "string" ? endpoint.replace(/\/devtools\/.*$/, "") : "a browser Deputy steers";

  async function cookiesIn(browser: CdpConnection): Promise<Map<string, Cookie>> {
    const { cookies } = await browser.call("Storage.getCookies", scope);
    if (!Array.isArray(cookies)) throw new DeputyError("PROTOCOL", "The browser answered without cookies");
    const readable = cookies.flatMap((one: unknown) => {
      try {
        return cookiesFromCdp([one], { now: 0 });
      } catch (error) {
        if (error instanceof DeputyError) return []; // not one of ours, and not our business
        throw error;
      }
    });
    return new Map(readable.map((cookie) => [cookieKey(cookie), cookie]));
  }

  /** The protocol deletes by page; a cookie that has ended deletes the one it replaces. */
  async function remove(browser: CdpConnection, cookies: readonly Cookie[]): Promise<void> {
    const ended = cookiesToCdp(cookies, { now: 0 }).cookies.map((param) => ({ ...param, expires: 1 }));
    if (ended.length > 0) await browser.call("Storage.setCookies", { cookies: ended, ...scope });
  }

  async function deliver(browser: CdpConnection, want: readonly Cookie[], gone: readonly Deletion[]) {
    const before = await cookiesIn(browser);
    const { orders, refused } = ordersFor(want, clock.now());
    const changed = orders.filter(({ expected }) => !isSame(expected, before.get(cookieKey(expected))));
    const leaving = gone.flatMap((one) => before.get(cookieKey(one)) ?? []);
    const unwanted = await setCookies(browser, changed, scope);
    await remove(browser, leaving);
    const after = await cookiesIn(browser);
    for (const order of changed) {
      const found = after.get(cookieKey(order.expected));
      const reason = unwanted.has(order)
        ? "the browser takes no such cookie"
        : found === undefined
          ? "the browser took it and did not keep it"
          : isSame(order.expected, found)
            ? undefined
            : "the browser keeps it otherwise than it was given";
      if (reason !== undefined) refused.push(refuse(order.cookie, reason));
    }
    const failed = refused.length - (want.length - orders.length);
    return {
      surface: "live" as const,
      target,
      delivered: changed.length - failed,
      unchanged: orders.length - changed.length,
      deleted: leaving.filter((one) => !after.has(cookieKey(one))).length,
      refused,
    };
  }

  return {
    id: "live",
    target,
    async deliver(want, gone) {
      if (typeof endpoint !== "string") return deliver(endpoint, want, gone);
      await using browser = await connectCdp(endpoint, { timeoutMs });
      return await deliver(browser, want, gone);
    },
  };
}

function ordersFor(want: readonly Cookie[], now: number): { orders: Order[]; refused: Refusal[] } {
  const orders: Order[] = [];
  const refused: Refusal[] = [];
  for (const cookie of want) {
    const { cookies, lost } = cookiesToCdp([cookie], { now });
    const [param] = cookies;
    if (param === undefined) {
      const reason = lost.find(({ field }) => field === "cookie")?.reason;
      refused.push(refuse(cookie, reason === undefined ? "no browser takes it" : refusalReasons[reason]));
      continue;
    }
    const [expected = cookie] = cookiesFromCdp([param], { now: 0 });
    orders.push({ cookie, param, expected });
  }
  return { orders, refused };
}

function isSame(expected: Cookie, found: Cookie | undefined): boolean {
  return (
    found !== undefined &&
    found.value === expected.value &&
    sameSecond(found.expires, expected.expires) &&
    found.secure === expected.secure &&
    found.httpOnly === expected.httpOnly &&
    found.sameSite === expected.sameSite &&
    found.priority === expected.priority &&
    found.sourceScheme === expected.sourceScheme
  );
}

/** Chromium keeps microseconds, the protocol speaks of seconds in floating point. */
function sameSecond(a: number | null, b: number | null): boolean {
  return a === null || b === null ? a === b : Math.abs(a - b) < 1000;
}
