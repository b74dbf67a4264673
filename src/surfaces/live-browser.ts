import { type CdpConnection, connectCdp, getCookies, setCookies } from "../cdp/index.ts";
import {
  cdpOrders,
  type Cookie,
  cookieKey,
  cookiesToCdp,
  readableFromCdp,
  whyNotKept,
} from "../cookies/index.ts";
import type { Clock } from "../kernel/index.ts";
import { type Deletion, type Refusal, refuse, type Surface } from "./surface.ts";

export interface LiveSurfaceOptions {
  /** `http://127.0.0.1:9222`, the `ws://` address the browser printed, or a connection that is kept open by others. */
  readonly endpoint: string | CdpConnection;
  /** One of the browser's contexts. Default: its first profile. */
  readonly context?: string;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}

/** A running browser's own memory. Every cookie is placed, read back and accounted for. */
export function createLiveSurface(options: LiveSurfaceOptions): Surface {
  const { endpoint, context, clock, timeoutMs = 10_000 } = options;
  const scope = context === undefined ? {} : { browserContextId: context };
  const target =
    typeof endpoint === "string" ? endpoint.replace(/\/devtools\/.*$/, "") : "a browser Deputy steers";

  async function cookiesIn(browser: CdpConnection): Promise<Map<string, Cookie>> {
    const cookies = readableFromCdp(await getCookies(browser, scope), 0);
    return new Map(cookies.map((cookie) => [cookieKey(cookie), cookie]));
  }

  /** The protocol deletes by page; a cookie that has ended deletes the one it replaces. */
  async function remove(browser: CdpConnection, cookies: readonly Cookie[]): Promise<void> {
    const ended = cookiesToCdp(cookies, { now: 0 }).cookies.map((param) => ({ ...param, expires: 1 }));
    if (ended.length > 0) await browser.call("Storage.setCookies", { cookies: ended, ...scope });
  }

  async function deliver(browser: CdpConnection, want: readonly Cookie[], gone: readonly Deletion[]) {
    const before = await cookiesIn(browser);
    const { orders, refused: unaskable } = cdpOrders(want, clock.now());
    const changed = orders.filter(
      (order) => whyNotKept(order, before.get(cookieKey(order.expected))) !== undefined,
    );
    const leaving = gone.flatMap((one) => before.get(cookieKey(one)) ?? []);
    const unwanted = await setCookies(browser, changed, scope);
    await remove(browser, leaving);
    const after = await cookiesIn(browser);
    const unkept = changed.flatMap((order): Refusal[] => {
      const found = after.get(cookieKey(order.expected));
      const reason = unwanted.has(order) ? "the browser takes no such cookie" : whyNotKept(order, found);
      return reason === undefined ? [] : [refuse(order.cookie, reason)];
    });
    return {
      surface: "live" as const,
      target,
      delivered: changed.length - unkept.length,
      unchanged: orders.length - changed.length,
      deleted: leaving.filter((one) => !after.has(cookieKey(one))).length,
      refused: [...unaskable.map(({ cookie, reason }) => refuse(cookie, reason)), ...unkept],
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
