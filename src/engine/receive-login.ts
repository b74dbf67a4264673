import type { LoginStore } from "../auth/index.ts";
import { type Cookie, cookieKey } from "../cookies/index.ts";
import type { LoginChanges } from "../sync/index.ts";

/** A login another machine sent, into this one's: cookie by cookie where there is one, whole where there is none. */
export function receiveLogin(
  store: LoginStore,
  { domain, identifier, changes }: LoginChanges,
  source: string,
): void {
  const identity = { domain, identifier };
  const sets = changes.flatMap((change) => (change.kind === "set" ? [change.cookie] : []));
  if (sets.length < changes.length || store.find(identity) !== undefined) {
    store.merge(identity, changes, source);
    return;
  }
  const newest = new Map<string, Cookie>();
  for (const cookie of sets) {
    const key = cookieKey(cookie);
    if ((newest.get(key)?.updated ?? -Infinity) <= cookie.updated) newest.set(key, cookie);
  }
  store.replace(identity, { cookies: [...newest.values()], gone: [] }, source);
}
