import { cookieHeader, type Jar } from "../cookies/index.ts";
import type { Connection } from "./connection.ts";

/** What `.auth` is for a login of cookies: each by its name, and the whole header as `cookies`. */
export function cookieValues(jar: Jar, { baseUrl }: Connection): Record<string, unknown> {
  const sent = baseUrl === null ? jar.all() : jar.cookiesFor(baseUrl);
  // The first of a name is the one a service reads.
  const byName = Object.fromEntries(sent.toReversed().map(({ name, value }) => [name, value]));
  return { ...byName, cookies: cookieHeader(sent) };
}
