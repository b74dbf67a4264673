export type SameSite = "unset" | "none" | "lax" | "strict";
export type Priority = "low" | "medium" | "high";
export type SourceScheme = "unset" | "nonsecure" | "secure";

/** CHIPS: the top-level site a partitioned cookie belongs to. */
export interface PartitionKey {
  /** A schemeful site, such as `https://example.com`. */
  readonly topLevelSite: string;
  /** Whether a cross-site frame stood between the top level and the one that set it. */
  readonly crossSiteAncestor: boolean;
}

/**
 * How far a cookie can travel: `portable` works anywhere, `partitioned` only below its top-level site, `session`
 * ends with the browser, `device-bound-suspect` is probably refused on another machine.
 */
export type CookieKind = "portable" | "partitioned" | "session" | "device-bound-suspect";

/** One cookie with everything a browser knows about it. Times are milliseconds since 1970. */
export interface Cookie {
  /** May be empty: nameless cookies exist. */
  readonly name: string;
  readonly value: string;
  /** Lower case, punycode, no leading dot; `hostOnly` says the rest. */
  readonly domain: string;
  readonly hostOnly: boolean;
  readonly path: string;
  /** Null for a session cookie. */
  readonly expires: number | null;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite: SameSite;
  readonly partitionKey: PartitionKey | null;
  readonly sourceScheme: SourceScheme;
  /** -1 when unknown, as Chromium writes it. */
  readonly sourcePort: number;
  readonly priority: Priority;
  readonly created: number;
  readonly updated: number;
  readonly kind: CookieKind;
}

/** A cookie whose kind is not decided yet. */
export type Unlabelled = Omit<Cookie, "kind">;
