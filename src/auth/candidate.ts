import type { Cookie } from "../cookies/index.ts";
import type { Identity } from "../kernel/index.ts";
import type { CookieLogin } from "./cookie-login.ts";

/** A place logins can be found besides the vault: a browser's profile, another skill. */
export interface CookieProvider {
  /** `chromium/Default`. */
  readonly id: string;
  /** A live browser is asked only by name: it may open a window. */
  readonly live: boolean;
  /** Cheap. Equal stamps: nothing has changed, and `cookies` need not be asked again. */
  stamp(): Promise<string>;
  /** Every cookie of the domain and below it. */
  cookies(
    domain: string,
  ): Promise<{ readonly cookies: readonly Cookie[]; readonly warnings: readonly string[] }>;
}

export interface Candidate {
  readonly from: "cache" | "vault" | "browser";
  /** `cache`, `vault`, or the provider's id. */
  readonly provider: string;
  /** Undefined until a check has said whose it is. */
  readonly identity: Identity | undefined;
  readonly login: CookieLogin;
  readonly newestAt: number;
  /** Whether every cookie the connection names is there. */
  readonly complete: boolean;
  readonly problem?: string | undefined;
  readonly refused?: boolean;
}

/** A candidate as it is explained: without a value, with the reason it was not taken. */
export interface Considered {
  readonly provider: string;
  readonly account: string | null;
  readonly cookies: number;
  readonly newestAt: number | null;
  readonly verdict:
    | "chosen"
    | "older"
    | "another-account"
    | "excluded"
    | "empty"
    | "incomplete"
    | "unreadable"
    | "failed-check"
    | "ambiguous";
  /** Whether every cookie the connection names is there. */
  readonly complete: boolean;
  readonly problem?: string;
}

const ORDER = { cache: 0, vault: 1, browser: 2 };

/** Strictly newest first; a tie goes to the cache, then the vault. */
export function byFreshness(a: Candidate, b: Candidate): number {
  return b.newestAt - a.newestAt || ORDER[a.from] - ORDER[b.from];
}

/** The one with every named cookie first, then the newest, then the one with the most. */
export function betweenBrowsers(a: Candidate, b: Candidate): number {
  return (
    Number(b.complete) - Number(a.complete) ||
    b.newestAt - a.newestAt ||
    b.login.cookies.length - a.login.cookies.length
  );
}

export function explain(candidate: Candidate, verdict: Considered["verdict"]): Considered {
  return {
    provider: candidate.provider,
    account: candidate.identity?.identifier ?? null,
    cookies: candidate.login.cookies.length,
    newestAt: Number.isFinite(candidate.newestAt) ? candidate.newestAt : null,
    verdict,
    complete: candidate.complete,
    ...(candidate.problem === undefined ? {} : { problem: candidate.problem }),
  };
}
