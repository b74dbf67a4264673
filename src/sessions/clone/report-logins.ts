import { type Cookie, deviceBoundByName, registrableDomain } from "../../cookies/index.ts";
import type { LoginReport, Refused } from "../session.ts";

/**
 * The domains a login was cloned for, and how long each lasts. A login is a cookie no script may read: those are what
 * services keep sessions in. Where a domain has none, all its cookies count.
 */
export function reportLogins(cookies: readonly Cookie[]): LoginReport[] {
  const domains = Map.groupBy(cookies, ({ domain }) => registrableDomain(domain) ?? domain);
  return [...domains]
    .map(([domain, all]) => {
      const telling = all.some(({ httpOnly }) => httpOnly) ? all.filter(({ httpOnly }) => httpOnly) : all;
      const ends = telling.flatMap(({ expires }) => (expires === null ? [] : [expires]));
      const until = ends.length === 0 ? null : new Date(Math.max(...ends)).toISOString();
      return { domain, cookies: all.length, until };
    })
    .sort((a, b) => a.domain.localeCompare(b.domain));
}

/** What a service probably refuses outside of the browser it was made in. */
export function deviceBound(cookies: readonly Cookie[]): Refused[] {
  return cookies.flatMap((cookie) => {
    const { name, domain, kind } = cookie;
    const known = deviceBoundByName(cookie);
    if (known === undefined && kind !== "device-bound-suspect") return [];
    return [
      { name, domain, reason: known ?? "the browser keeps a key for it that does not leave the device" },
    ];
  });
}
