import { type Cookie, recordRefusal, refusalReasons, registrableDomain } from "../cookies/index.ts";

/**
 * Why a cookie cannot lie in a browser's store, or undefined. The browser would drop such a row, or all of its
 * site's, when it starts (net/cookies/canonical_cookie.cc, IsCanonicalForFromStorage).
 */
export function storeRefusal(
  cookie: Cookie,
  { now, version }: { now: number; version: number },
): string | undefined {
  if (cookie.expires === null)
    return "it ends with the session, and a closed browser keeps no such cookies: deliver it to the running one";
  const reason = recordRefusal(cookie, now);
  if (reason !== undefined) return refusalReasons[reason];
  if (!cookie.hostOnly && registrableDomain(cookie.domain) === null)
    return refusalReasons["domain-public-suffix"];
  if (canonicalPath(cookie.path) !== cookie.path) return "its path is not written as a URL would write it";
  if (cookie.partitionKey !== null && version < FIRST_WITH_ANCESTOR)
    return "the browser is too old for partitioned cookies as they are now";
  if (!/^[\x21-\x7e]*$/.test(cookie.path)) return "its path is not plain text";
  return undefined;
}

/** net/extras/sqlite/sqlite_persistent_cookie_store.cc, "Version 23". */
const FIRST_WITH_ANCESTOR = 23;

/** What is plainly in order need not be made into a URL to see it: there may be thousands. */
const PLAIN_PATH = /^\/[\w~/-]*$/;

function canonicalPath(path: string): string {
  if (PLAIN_PATH.test(path)) return path;
  return new URL(`http://host${path.replace(/[?#]/g, encodeURIComponent)}`).pathname;
}
