import type { Cookie, Priority } from "./cookie.ts";

/** What eviction looks at. `accessed` orders entries even within one millisecond. */
export interface Evictable {
  readonly cookie: Cookie;
  readonly accessed: number;
}

// Chromium, net/cookies/cookie_monster.cc: kDomainMaxCookies, kDomainPurgeCookies, kMaxCookies, kPurgeCookies,
// kDomainCookiesQuota{Low,Medium,High}, kPerPartitionDomainMaxCookieBytes, kSafeFromGlobalPurgeDays.
const SITE_MAX = 180;
const SITE_KEEP = 150;
const TOTAL_MAX = 3300;
const TOTAL_KEEP = 3000;
const QUOTA: Record<Priority, number> = { low: 30, medium: 50, high: 70 };
const PARTITION_MAX_BYTES = 10_240;
const SAFE_FROM_TOTAL = 30 * 24 * 60 * 60 * 1000;

/** RFC 6265bis 5.7 orders evictions loosely; these rounds are Chromium's (kPurgeRounds). */
const ROUNDS: readonly { priority: Priority; spareSecure: boolean }[] = [
  { priority: "low", spareSecure: true },
  { priority: "low", spareSecure: false },
  { priority: "medium", spareSecure: true },
  { priority: "high", spareSecure: true },
  { priority: "medium", spareSecure: false },
  { priority: "high", spareSecure: false },
];

/** Whom to drop when one site has more than 180 cookies: down to 150, least recently used first. */
export function evictFromSite<T extends Evictable>(entries: readonly T[]): T[] {
  if (entries.length <= SITE_MAX) return [];
  const left = leastRecentFirst(entries);
  const evicted: T[] = [];
  let goal = left.length - SITE_KEEP;
  for (const { priority, spareSecure } of ROUNDS) {
    const peers = left.filter(({ cookie }) => cookie.priority === priority);
    const secure = peers.filter(({ cookie }) => cookie.secure).length;
    const spared = spareSecure ? Math.max(secure, QUOTA[priority]) : QUOTA[priority];
    const candidates = peers.filter(({ cookie }) => !spareSecure || !cookie.secure);
    const victims = candidates.slice(0, Math.min(goal, Math.max(0, peers.length - spared)));
    for (const victim of victims) left.splice(left.indexOf(victim), 1);
    evicted.push(...victims);
    goal -= victims.length;
  }
  return evicted;
}

/** Whom to drop when one site has more than 180 cookies or 10,240 bytes in one partition. */
export function evictFromPartition<T extends Evictable>(entries: readonly T[]): T[] {
  const left = leastRecentFirst(entries);
  const evicted: T[] = [];
  let bytes = left.reduce((sum, entry) => sum + size(entry), 0);
  while (bytes > PARTITION_MAX_BYTES || left.length > SITE_MAX) {
    const victim = left.shift();
    if (victim === undefined) break;
    bytes -= size(victim);
    evicted.push(victim);
  }
  return evicted;
}

/** Whom to drop when there are more than 3,300 in all: down to 3,000, but nothing used within 30 days. */
export function evictFromAll<T extends Evictable>(entries: readonly T[], now: number): T[] {
  if (entries.length <= TOTAL_MAX) return [];
  const stale = leastRecentFirst(entries).filter(({ accessed }) => accessed < now - SAFE_FROM_TOTAL);
  const plainFirst = [
    ...stale.filter(({ cookie }) => !cookie.secure),
    ...stale.filter(({ cookie }) => cookie.secure),
  ];
  return plainFirst.slice(0, entries.length - TOTAL_KEEP);
}

function leastRecentFirst<T extends Evictable>(entries: readonly T[]): T[] {
  return entries.toSorted((a, b) => a.accessed - b.accessed || a.cookie.created - b.cookie.created);
}

function size({ cookie }: Evictable): number {
  return Buffer.byteLength(cookie.name) + Buffer.byteLength(cookie.value);
}
