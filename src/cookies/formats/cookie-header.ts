import type { Cookie } from "../cookie.ts";
import { parseCookie } from "../parse-cookie.ts";
import { isHeaderText } from "../record-refusal.ts";
import { pairRefusal, splitPair } from "../set-cookie.ts";
import { type Loss, NEVER, writeAndCompare } from "./loss.ts";

/** RFC 6265bis 5.8.3: "If the cookies' name is not empty, output the cookie's name followed by the %x3D". */
export function cookieHeader(cookies: readonly Pick<Cookie, "name" | "value">[]): string {
  return cookies.map(({ name, value }) => (name === "" ? value : `${name}=${value}`)).join("; ");
}

/** Names and values only: all else is lost, and which cookie wins where two share a name. */
export function cookiesToHeader(cookies: readonly Cookie[]): { text: string; lost: Loss[] } {
  const { written, lost } = writeAndCompare(cookies, {
    refuse: ({ name, value }) => (isHeaderText(name, value) ? pairRefusal(name, value) : "not-a-header"),
    write: (cookie) => ({ pair: cookieHeader([cookie]), domain: cookie.domain }),
    read: ({ pair, domain }) => cookiesFromHeader(pair, { domain, now: NEVER })[0],
  });
  return { text: written.map(({ pair }) => pair).join("; "), lost };
}

/** Reads `a=1; b=2` as cookies of `domain` and everything below it, for this session. Empty pairs hold nothing. */
export function cookiesFromHeader(
  text: string,
  { domain, now = Date.now() }: { domain: string; now?: number },
): Cookie[] {
  return text
    .split(";")
    .map((pair) => splitPair(pair.includes("=") ? pair : `=${pair}`))
    .filter(({ name, value }) => name !== "" || value !== "")
    .map((pair) => parseCookie({ ...pair, domain }, { now }));
}
