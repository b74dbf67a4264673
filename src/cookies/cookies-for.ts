import { DeputyError } from "../kernel/index.ts";
import type { Cookie, PartitionKey } from "./cookie.ts";
import { canonicalHost } from "./host.ts";
import { findOrigin } from "./origin.ts";
import { isSentTo, isUsable, reaches, sendingOrder } from "./sent-to.ts";

export interface CookiesForOptions {
  /** False leaves HttpOnly cookies out, as a script would see it. */
  readonly http?: boolean;
  readonly now?: number;
  /** Adds the cookies of one partition. Without it partitioned cookies are left out. */
  readonly partitionKey?: PartitionKey;
}

/**
 * Which of `cookies` RFC 6265 would send: to a URL, or to a host whatever the path and connection. A parent
 * domain's cookies are among them, a sibling's and expired ones are not.
 */
export function cookiesFor(
  cookies: Iterable<Cookie>,
  target: { readonly url: string | URL } | { readonly host: string },
  { http = true, now = Date.now(), partitionKey }: CookiesForOptions = {},
): Cookie[] {
  const isSent =
    "url" in target ? sentToUrl(target.url, { http, now }) : sentToHost(target.host, { http, now });
  return [...cookies]
    .filter((cookie) => inPartition(cookie, partitionKey) && isSent(cookie))
    .sort(sendingOrder);
}

type Test = (cookie: Cookie) => boolean;

function sentToUrl(url: string | URL, access: { http: boolean; now: number }): Test {
  const origin = findOrigin(url);
  return (cookie) => origin !== undefined && isSentTo(cookie, origin, access);
}

function sentToHost(written: string, { http, now }: { http: boolean; now: number }): Test {
  const host = canonicalHost(written);
  if (host === undefined) {
    throw new DeputyError("BAD_INPUT", "Cannot use the host: it is not a host name", {
      hint: "Give a host such as www.example.com, or a whole URL",
    });
  }
  return (cookie) => reaches(cookie, host) && (http || !cookie.httpOnly) && isUsable(cookie, now);
}

function inPartition({ partitionKey }: Cookie, wanted: PartitionKey | undefined): boolean {
  if (partitionKey === null) return true;
  return (
    partitionKey.topLevelSite === wanted?.topLevelSite &&
    partitionKey.crossSiteAncestor === wanted.crossSiteAncestor
  );
}
