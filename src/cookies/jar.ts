import type { Cookie, PartitionKey } from "./cookie.ts";
import { type CookieChange, type CookieIdentity, cookieKey } from "./cookie-change.ts";
import { pathMatches } from "./cookie-path.ts";
import { createCookie } from "./create-cookie.ts";
import { evictFromAll, evictFromPartition, evictFromSite } from "./eviction.ts";
import { cookieHeader } from "./formats/cookie-header.ts";
import { domainMatches, siteOf } from "./host.ts";
import { findOrigin, type Origin } from "./origin.ts";
import type { RefusalReason } from "./refusal.ts";
import { isSentTo } from "./sent-to.ts";

/** What became of one Set-Cookie header. */
export type SetOutcome =
  | { readonly kind: "stored" | "replaced" | "deleted" }
  | { readonly kind: "refused"; readonly reason: RefusalReason };

export interface JarOptions {
  /** What time it is, in ms since 1970; a number stops the clock. */
  readonly now?: number | (() => number);
  /** What to start from. None of these counts as a change. */
  readonly cookies?: Iterable<Cookie>;
}

export interface JarAccess {
  /** False is the script side: HttpOnly cookies can be neither set, replaced nor seen. */
  readonly http?: boolean;
  /**
   * The partition to act in, a top-level page at the URL itself when left out. Null reads no partition, and is no
   * place for a cookie that asks for one.
   */
  readonly partitionKey?: PartitionKey | null;
}

interface Entry {
  readonly cookie: Cookie;
  /** Finer than `cookie.created`, which cannot order two cookies of one millisecond. */
  readonly created: number;
  accessed: number;
}

type Shelf = Map<string, Entry>;

/** Chromium: an access within a minute of the last is not worth a write. */
const ACCESS_GRAIN = 60_000;

/**
 * A cookie store for one identity: RFC 6265bis as Chromium implements it, kept in memory. It remembers what changed
 * since it was seeded, deletions too, so that the owner of the cookies can be told.
 */
export class Jar {
  readonly #now: () => number;
  /** By partition and site: lookups, overwrites and limits never cross a site. */
  readonly #shelves = new Map<string, Shelf>();
  readonly #changes = new Map<string, CookieChange>();
  #lastTick = Number.NEGATIVE_INFINITY;

  constructor({ now = Date.now, cookies = [] }: JarOptions = {}) {
    this.#now = typeof now === "number" ? () => now : now;
    for (const cookie of cookies) this.#seed(cookie);
  }

  /** Takes one Set-Cookie header that arrived from `url`. Several headers are several calls, never one joined by commas. */
  set(header: string, url: string | URL, access: JarAccess = {}): SetOutcome {
    const origin = findOrigin(url);
    if (origin === undefined) return { kind: "refused", reason: "scheme-without-cookies" };
    const http = access.http ?? true;
    const now = this.#now();
    const { partitionKey = origin.partitionKey } = access;
    const cookie = createCookie(header, origin, { http, now, partitionKey });
    if (typeof cookie === "string") return { kind: "refused", reason: cookie };
    const reason = this.#overwriteRefusal(cookie, origin, http);
    return reason === undefined ? this.#store(cookie, now) : { kind: "refused", reason };
  }

  /** The Cookie header for a request to `url`; empty when there is nothing to send. */
  header(url: string | URL, access: JarAccess = {}): string {
    return cookieHeader(this.cookiesFor(url, access));
  }

  /** The cookies a request to `url` carries, in the order they are sent. */
  cookiesFor(url: string | URL, access: JarAccess = {}): Cookie[] {
    const origin = findOrigin(url);
    if (origin === undefined) return [];
    const { http = true, partitionKey = origin.partitionKey } = access;
    const now = this.#now();
    const partitions = partitionKey === null ? [null] : [null, partitionKey];
    const sent = partitions
      .flatMap((partition) => [...(this.#shelves.get(shelfKey(origin.host, partition))?.values() ?? [])])
      .filter(({ cookie }) => isSentTo(cookie, origin, { http, now }))
      // RFC 6265bis 5.8.3: "Cookies with longer paths are listed before cookies with shorter paths", then the
      // "earlier creation-times" first.
      .sort((a, b) => b.cookie.path.length - a.cookie.path.length || a.created - b.created);
    for (const entry of sent) if (now - entry.accessed >= ACCESS_GRAIN) entry.accessed = now;
    return sent.map(({ cookie }) => cookie);
  }

  /** Every cookie that has not expired. */
  all(): Cookie[] {
    const now = this.#now();
    return this.#entries()
      .map(({ cookie }) => cookie)
      .filter(({ expires }) => expires === null || expires > now);
  }

  /** Lets go of a cookie that turned out not to be one. No service deleted it, so it is no change. */
  forget(cookie: CookieIdentity): void {
    this.#shelf(cookie.domain, cookie.partitionKey).delete(cookieKey(cookie));
  }

  /** What differs from what the jar was seeded with: the last change of each cookie, oldest first. */
  changes(): CookieChange[] {
    return [...this.#changes.values()];
  }

  /** Two records of one cookie are a conflict of the source's making: the later update is the truer one. */
  #seed(cookie: Cookie): void {
    const shelf = this.#shelf(cookie.domain, cookie.partitionKey);
    const key = cookieKey(cookie);
    const old = shelf.get(key);
    if (old !== undefined && old.cookie.updated > cookie.updated) return;
    shelf.set(key, { cookie, created: cookie.created, accessed: cookie.updated });
  }

  #overwriteRefusal(cookie: Cookie, origin: Origin, http: boolean): RefusalReason | undefined {
    const shelf = this.#shelf(cookie.domain, cookie.partitionKey);
    // RFC 6265bis 5.7: "Their name matches …, their secure-only-flag is true, their domain domain-matches … or vice
    // versa, the path of the newly created cookie path-matches the path of the existing cookie".
    const shadows = (old: Cookie): boolean =>
      old.secure &&
      old.name === cookie.name &&
      (domainMatches(old.domain, cookie.domain) || domainMatches(cookie.domain, old.domain)) &&
      pathMatches(cookie.path, old.path);
    if (!origin.secure && shelf.values().some((entry) => shadows(entry.cookie))) return "overwrites-secure";
    // "If the newly-created cookie was received from a `non-HTTP` API and the old-cookie's http-only-flag is true".
    const old = shelf.get(cookieKey(cookie))?.cookie;
    return !http && old?.httpOnly === true ? "overwrites-httponly" : undefined;
  }

  #store(cookie: Cookie, now: number): SetOutcome {
    const shelf = this.#shelf(cookie.domain, cookie.partitionKey);
    const key = cookieKey(cookie);
    const old = shelf.get(key);
    shelf.delete(key);
    if (cookie.expires !== null && cookie.expires <= now) {
      this.#recordDeletion(cookie, now);
      return { kind: "deleted" };
    }
    const tick = this.#tick(now);
    // RFC 6265bis 5.7: "Update the creation-time of the newly-created cookie to match the creation-time of the
    // old-cookie". Chromium does so only while the value stays the same.
    const kept = old !== undefined && old.cookie.value === cookie.value ? old : undefined;
    const stored = { ...cookie, created: kept?.cookie.created ?? cookie.created };
    shelf.set(key, { cookie: stored, created: kept?.created ?? tick, accessed: tick });
    this.#recordChange(key, { kind: "set", cookie: stored });
    this.#evict(shelf, cookie.partitionKey !== null, now);
    return { kind: old === undefined ? "stored" : "replaced" };
  }

  #evict(shelf: Shelf, partitioned: boolean, now: number): void {
    for (const [key, { cookie }] of shelf)
      if (cookie.expires !== null && cookie.expires <= now) shelf.delete(key);
    const peers = [...shelf.values()];
    const victims = partitioned ? evictFromPartition(peers) : evictFromSite(peers);
    if (!partitioned) {
      const everywhere = this.#entries().filter(({ cookie }) => cookie.partitionKey === null);
      victims.push(...evictFromAll(everywhere, now));
    }
    for (const { cookie } of victims) {
      this.#shelf(cookie.domain, cookie.partitionKey).delete(cookieKey(cookie));
      this.#recordDeletion(cookie, now);
    }
  }

  #recordDeletion({ name, domain, hostOnly, path, partitionKey }: CookieIdentity, at: number): void {
    const identity = { name, domain, hostOnly, path, partitionKey };
    this.#recordChange(cookieKey(identity), { kind: "delete", ...identity, at });
  }

  /** Deleted first, so that the map keeps the order of the last changes. */
  #recordChange(key: string, change: CookieChange): void {
    this.#changes.delete(key);
    this.#changes.set(key, change);
  }

  #shelf(host: string, partitionKey: PartitionKey | null): Shelf {
    return this.#shelves.getOrInsertComputed(shelfKey(host, partitionKey), () => new Map<string, Entry>());
  }

  #entries(): Entry[] {
    return [...this.#shelves.values()].flatMap((shelf) => [...shelf.values()]);
  }

  /** A time that never repeats: microseconds are enough to tell apart what a millisecond holds. */
  #tick(now: number): number {
    this.#lastTick = Math.max(now, this.#lastTick + 0.001);
    return this.#lastTick;
  }
}

function shelfKey(host: string, partitionKey: PartitionKey | null): string {
  const partition = partitionKey && [partitionKey.topLevelSite, partitionKey.crossSiteAncestor];
  return JSON.stringify([siteOf(host), partition]);
}
