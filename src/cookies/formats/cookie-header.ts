import type { Cookie } from "../cookie.ts";

/** RFC 6265bis 5.8.3: "If the cookies' name is not empty, output the cookie's name followed by the %x3D". */
export function toCookieHeader(cookies: readonly Pick<Cookie, "name" | "value">[]): string {
  return cookies.map(({ name, value }) => (name === "" ? value : `${name}=${value}`)).join("; ");
}
