import type { Cookie } from "../cookie.ts";
import { parseCookie } from "../parse-cookie.ts";
import { isUsable } from "../sent-to.ts";
import { type Loss, lossesOf } from "./loss.ts";

/** RFC 6265bis 5.8.3: "If the cookies' name is not empty, output the cookie's name followed by the %x3D". */
export function cookieHeader(cookies: readonly Pick<Cookie, "name" | "value">[]): string {
  return cookies.map(({ name, value }) => (name === "" ? value : `${name}=${value}`)).join("; ");
}

/** Names and values only. All else is lost, and which cookie wins where two share a name. */
export function cookiesToHeader(cookies: readonly Cookie[]): { text: string; lost: Loss[] } {
  const written = cookies.filter(isHeaderSafe);
  const lost = cookies.flatMap((cookie) => {
    const { domain, created: now } = cookie;
    const text = cookieHeader([cookie]);
    return lossesOf(cookie, isHeaderSafe(cookie) ? cookiesFromHeader(text, { domain, now })[0] : undefined);
  });
  return { text: cookieHeader(written), lost };
}

/** Reads `a=1; b=2` as cookies of `domain` and everything below it, for this session. Empty pairs hold nothing. */
export function cookiesFromHeader(
  text: string,
  { domain, now = Date.now() }: { domain: string; now?: number },
): Cookie[] {
  return text
    .split(";")
    .map((pair) => (pair.includes("=") ? pair : `=${pair}`))
    .map(
      (pair) => [pair.slice(0, pair.indexOf("=")).trim(), pair.slice(pair.indexOf("=") + 1).trim()] as const,
    )
    .filter(([name, value]) => name !== "" || value !== "")
    .map(([name, value]) => parseCookie({ name, value, domain }, { now }));
}

/** A header cannot say where a name ends when the name contains `=`, and trims what surrounds a pair. */
function isHeaderSafe({ name, value, ...rest }: Cookie): boolean {
  const clean = name === name.trim() && value === value.trim();
  const told = name === "" ? value !== "" && !value.includes("=") : !name.includes("=");
  return clean && told && isUsable({ ...rest, name, value, expires: null }, 0);
}
