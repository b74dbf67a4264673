import { looksLikeLogin, type Unlabelled } from "../cookies/index.ts";

/** The cookies of one host of a store, none of them opened. */
export interface HostCount {
  readonly host: string;
  readonly cookies: number;
  /** How many of them look like a login. */
  readonly logins: number;
}

type Counted = Pick<Unlabelled, "domain" | "name" | "httpOnly" | "partitionKey" | "expires">;

/** By host, those that have expired left out. */
export function hostCounts(cookies: Iterable<Counted>, now: number): HostCount[] {
  const counts = new Map<string, { cookies: number; logins: number }>();
  for (const cookie of cookies) {
    if (cookie.expires !== null && cookie.expires <= now) continue;
    const count = counts.get(cookie.domain) ?? { cookies: 0, logins: 0 };
    count.cookies++;
    if (looksLikeLogin(cookie)) count.logins++;
    counts.set(cookie.domain, count);
  }
  return counts
    .entries()
    .map(([host, count]) => ({ host, ...count }))
    .toArray();
}
