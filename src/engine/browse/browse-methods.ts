import type { LoginTarget } from "../logins/login-methods.ts";

interface Target extends LoginTarget {
  readonly provider?: string;
}

type Header = readonly [name: string, value: string];

/** One source of a login, and why it was taken or not. Never a value. */
export interface ConsideredRow {
  readonly provider: string;
  readonly account: string | null;
  readonly cookies: number;
  readonly newest_at: string | null;
  readonly verdict: string;
  /** The verdict in words. */
  readonly why: string;
  readonly problem?: string;
}

export interface AuthTrace {
  readonly domain: string;
  readonly skill: string | null;
  readonly connection: string;
  readonly type: "api_key" | "cookies" | "oauth" | "none";
  readonly outcome: "resolved" | "needs-login" | "ambiguous" | "anonymous";
  readonly account: string | null;
  readonly provider: string | null;
  readonly accounts: readonly string[];
  /** What to type where there is no login; null where nothing needs to be. */
  readonly login: string | null;
  readonly considered: readonly ConsideredRow[];
  readonly duration_ms: number;
}

export interface CookieTrace {
  readonly name: string;
  readonly domain: string;
  readonly path: string;
  readonly from: string;
  readonly account: string | null;
  readonly updated_at: string;
  readonly expires_at: string | null;
  readonly secure: boolean;
  readonly http_only: boolean;
  readonly same_site: string;
  readonly kind: string;
}

export interface HopTrace {
  readonly method: string;
  readonly url: string;
  readonly sent: readonly Header[];
  readonly status: number;
  readonly received: readonly Header[];
}

export interface BrowseMethods {
  "browse.auth": { in: Target; out: AuthTrace };
  "browse.cookies": { in: Target; out: readonly CookieTrace[] };
  "browse.request": {
    in: Target & {
      readonly url: string;
      readonly method: string;
      readonly headers: readonly Header[];
      /** base64 */
      readonly body?: string;
    };
    out: {
      readonly hops: readonly HopTrace[];
      readonly account: string | null;
      readonly provider: string;
      readonly bytes: number;
      /** The beginning of the answer as text, masked. */
      readonly preview: string;
    };
  };
}
