import { type Cookie, parseCookie } from "../../src/cookies/index.ts";

export function createCookieOf(given: Partial<Cookie> & { domain: string; name: string }): Cookie {
  return parseCookie({
    value: "v",
    secure: true,
    httpOnly: true,
    expires: Date.now() + 86_400_000,
    ...given,
  });
}
