import { z } from "zod";
import {
  type Cookie,
  type CookieChange,
  type CookieIdentity,
  cookieKey,
  parseCookie,
} from "../cookies/index.ts";
import { DeputyError, Secret } from "../kernel/index.ts";

/** What a vault row of type `cookies` holds. */
export interface CookieLogin {
  readonly cookies: readonly Cookie[];
  /** Deletions are facts with a time: without them an older copy elsewhere would bring a cookie back. */
  readonly gone: readonly Gone[];
}

type Gone = CookieIdentity & { readonly at: number };

/** A service that deletes cookie after cookie must not make the row grow for ever. */
const MOST_GONE = 200;

const stored = z.object({
  cookies: z.array(z.unknown()),
  gone: z
    .array(
      z.object({
        name: z.string(),
        domain: z.string(),
        hostOnly: z.boolean(),
        path: z.string(),
        partitionKey: z.object({ topLevelSite: z.string(), crossSiteAncestor: z.boolean() }).nullable(),
        at: z.number(),
      }),
    )
    .default([]),
});

export function readLogin(value: Secret, now: number): CookieLogin {
  try {
    const { cookies, gone } = stored.parse(JSON.parse(value.reveal()));
    return { cookies: cookies.map((cookie) => parseCookie(cookie, { now })), gone };
  } catch (cause) {
    throw new DeputyError("VAULT_DAMAGED", "A row of cookies holds something else", {
      hint: "Remove it and log in again: deputy vault list shows which.",
      cause,
    });
  }
}

export function writeLogin(login: CookieLogin): Secret {
  return Secret.fromText(JSON.stringify(login));
}

/** Cookie by cookie, the newest fact wins, whatever order the facts arrive in. */
export function mergeChanges(login: CookieLogin, changes: readonly CookieChange[]): CookieLogin {
  const cookies = new Map(login.cookies.map((cookie) => [cookieKey(cookie), cookie]));
  const gone = new Map(login.gone.map((one) => [cookieKey(one), one]));
  const guessed = new Set(login.cookies.filter(isBare).map(({ name }) => name));
  for (const change of changes) {
    const identity = change.kind === "set" ? change.cookie : change;
    const key = cookieKey(identity);
    const at = change.kind === "set" ? change.cookie.updated : change.at;
    const known = Math.max(cookies.get(key)?.updated ?? -Infinity, gone.get(key)?.at ?? -Infinity);
    if (at < known) continue;
    for (const other of guessed.has(identity.name) ? guessKeys(identity) : []) {
      const guess = cookies.get(other);
      if (guess !== undefined && isGuessOf(change, guess)) cookies.delete(other);
    }
    if (change.kind === "set") {
      cookies.set(key, change.cookie);
      if (isBare(change.cookie)) guessed.add(change.cookie.name);
      gone.delete(key);
    } else {
      const { kind: _, ...fact } = change;
      cookies.delete(key);
      gone.set(key, fact);
    }
  }
  const newest = [...gone.values()].sort((a, b) => b.at - a.at).slice(0, MOST_GONE);
  return { cookies: [...cookies.values()], gone: newest };
}

/**
 * `name=value` typed in by a person says nothing of the cookie's scope. Once the service sets or deletes the cookie
 * itself, the guess must go: sent beside the real one, the old value would come first, and sent on after a logout it
 * would undo it.
 */
export function isGuessOf(change: CookieChange, guess: Cookie): boolean {
  const [real, at] = change.kind === "set" ? [change.cookie, change.cookie.updated] : [change, change.at];
  const within = real.domain === guess.domain || real.domain.endsWith(`.${guess.domain}`);
  return guess !== real && guess.name === real.name && within && guess.updated <= at && isBare(guess);
}

/** Where a guess at a cookie can be: at its domain, and at each above it. */
function guessKeys({ name, domain }: CookieIdentity): string[] {
  const labels = domain.split(".");
  return labels.map((_, i) =>
    cookieKey({ name, domain: labels.slice(i).join("."), hostOnly: false, path: "/", partitionKey: null }),
  );
}

function isBare(cookie: Cookie): boolean {
  return (
    !cookie.hostOnly &&
    cookie.path === "/" &&
    cookie.expires === null &&
    !cookie.secure &&
    !cookie.httpOnly &&
    cookie.sameSite === "unset" &&
    cookie.sourceScheme === "unset" &&
    cookie.sourcePort === -1 &&
    cookie.partitionKey === null
  );
}

/**
 * When this login last changed: the latest of each cookie's creation and update, never its last access. Where the
 * connection says which cookies carry the login, only those count: an analytics cookie must not make a logged-out
 * browser the freshest.
 */
export function newestAt(login: CookieLogin, names: readonly string[] = []): number {
  const counts = ({ name }: { name: string }) => names.length === 0 || names.includes(name);
  const times = [
    ...login.cookies.filter(counts).flatMap((cookie) => [cookie.created, cookie.updated]),
    ...login.gone.filter(counts).map((one) => one.at),
  ];
  return times.reduce((most, time) => Math.max(most, time), -Infinity);
}

export function withoutExpired(login: CookieLogin, now: number): CookieLogin {
  return {
    ...login,
    cookies: login.cookies.filter((cookie) => cookie.expires === null || cookie.expires > now),
  };
}
