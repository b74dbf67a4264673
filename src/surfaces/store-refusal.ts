import { type Cookie, recordRefusal, refusalReasons, registrableDomain } from "../cookies/index.ts";

/**
 * Says why a cookie cannot lie in a browser's store, or undefined. The browser would drop such a row, or all of its
 * site's, when it starts (net/cookies/canonical_cookie.cc, IsCanonicalForFromStorage).
 */
export function createStoreRefusal({ now, version }: { now: number; version: number }) {
  /** There may be thousands of cookies, and there are few domains. */
  const suffixes = new Map<string, boolean>();
  const isSuffix = (domain: string) =>
    suffixes.getOrInsertComputed(domain, () => registrableDomain(domain) === null);
  return (cookie: Cookie): string | undefined => {
    if (cookie.expires === null)
      return "it ends with the session, and a closed browser keeps no such cookies: deliver it to the running one";
    const reason = recordRefusal(cookie, now);
    if (reason !== undefined) return refusalReasons[reason];
    if (!cookie.hostOnly && isSuffix(cookie.domain)) return refusalReasons["domain-public-suffix"];
    if (canonicalPath(cookie.path) !== cookie.path) return "its path is not written as a URL would write it";
    if (cookie.partitionKey !== null && version < FIRST_WITH_ANCESTOR)
      return "the browser is too old for partitioned cookies as they are now";
    if (!PLAIN_TEXT.test(cookie.path)) return "its path is not plain text";
    return undefined;
  };
}

const PLAIN_TEXT = /^[\x21-\x7e]*$/;

/** net/extras/sqlite/sqlite_persistent_cookie_store.cc, "Version 23". */
const FIRST_WITH_ANCESTOR = 23;

/** What is plainly in order need not be made into a URL to see it: there may be thousands. */
const PLAIN_PATH = /^\/[\w~/-]*$/;

function canonicalPath(path: string): string {
  if (PLAIN_PATH.test(path)) return path;
  return new URL(`http://host${path.replace(/[?#]/g, encodeURIComponent)}`).pathname;
}
