import { foldDomain } from "../vault/index.ts";
import type { Connection } from "./connection.ts";

/**
 * Where a connection could take a login that is not the login's own domain. Any skill may write any `domain`: only one
 * without such hosts describes that service, all others say where its login should go.
 */
export function foreignHosts(connection: Connection): string[] {
  const { domain, skill, baseUrl, hosts } = connection;
  // Kept under the skill's own name: nobody else's login.
  if (domain === skill) return [];
  const urls = [
    ...(baseUrl === null ? [] : [baseUrl]),
    ...(hosts === "any"
      ? []
      : hosts.flatMap((host) => asUrl(host.includes("://") ? host : `https://${host}`))),
    ...checkUrl(connection),
  ];
  return [...new Set(urls.filter((url) => isForeign(url, domain)).map(({ host }) => host))];
}

/** Where the check of a connection goes, if that is not the login's own domain. */
export function foreignCheck(connection: Connection): string | undefined {
  if (connection.domain === connection.skill) return undefined;
  return checkUrl(connection).find((url) => isForeign(url, connection.domain))?.host;
}

function checkUrl({ auth, baseUrl }: Connection): URL[] {
  const check = auth?.check ?? null;
  return check === null ? [] : asUrl(check.url, baseUrl);
}

function asUrl(text: string, base: URL | null = null): URL[] {
  const url = URL.parse(text, base?.href);
  return url === null || url.hostname === "" ? [] : [url];
}

function isForeign({ hostname }: URL, domain: string): boolean {
  try {
    return foldDomain(hostname) !== domain;
  } catch {
    return true;
  }
}
