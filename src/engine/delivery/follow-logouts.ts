import { hash } from "node:crypto";
import { z } from "zod";
import type { LoginStore } from "../../auth/index.ts";
import { type Cookie, cookieKey } from "../../cookies/index.ts";
import { type Clock, Secret } from "../../kernel/index.ts";
import type { Vault } from "../../vault/index.ts";
import { internalKey } from "../vault/internal-rows.ts";

/** What a browser holds now, read whole. */
export interface BrowserState {
  /** `chromium/Default` */
  readonly provider: string;
  readonly cookiesAt: (domain: string) => readonly Cookie[];
}

interface Parts {
  readonly vault: Vault;
  readonly store: LoginStore;
  readonly clock: Clock;
  readonly browsers: readonly BrowserState[];
  /** Sites the vault has logins of this machine at. */
  readonly domains: Iterable<string>;
}

/** By browser and site, the cookies it was last seen with: a hash of each value, by a hash of the cookie's key. */
const schema = z.record(z.string(), z.record(z.string(), z.record(z.string(), z.string())));
const KEY = internalKey("seen-in-browsers");

/**
 * A login the vault took from a browser ends when it ends there: a cookie that was seen in the browser and is there no
 * more is a deletion, newer than the vault's copy. It counts only for that copy: the same value, or the account that is
 * named after the browser. One that ends with the browser's session anyway says nothing by its end. Gives the sites at
 * which a browser has something new.
 */
export function followLogouts({ vault, store, clock, browsers, domains }: Parts): string[] {
  const seen = readSeen(vault);
  const news = new Set<string>();
  for (const domain of domains) {
    for (const { provider, cookiesAt } of browsers) {
      const before = seen[provider]?.[domain];
      const now = Object.fromEntries(
        cookiesAt(domain).map((cookie) => [keyOf(cookie), hashOf(cookie.value)]),
      );
      if (before === undefined ? Object.keys(now).length === 0 : same(before, now)) continue;
      (seen[provider] ??= {})[domain] = now;
      news.add(domain);
      const lost = Object.entries(before ?? {}).filter(([key]) => now[key] === undefined);
      if (lost.length > 0) logOut({ store, clock, domain, provider, lost: new Map(lost) });
    }
  }
  if (news.size > 0) {
    using value = Secret.fromText(JSON.stringify(seen));
    vault.put(KEY, value, { source: "deputy", masked: "seen in browsers" });
  }
  return [...news];
}

interface Ended {
  readonly store: LoginStore;
  readonly clock: Clock;
  readonly domain: string;
  readonly provider: string;
  readonly lost: ReadonlyMap<string, string>;
}

function logOut({ store, clock, domain, provider, lost }: Ended): void {
  for (const identifier of store.accounts(domain)) {
    const identity = { domain, identifier };
    const gone = (store.find(identity)?.cookies ?? []).filter((cookie) => {
      const was = lost.get(keyOf(cookie));
      if (was === undefined || cookie.expires === null) return false;
      return was === hashOf(cookie.value) || identifier === `@${provider}`;
    });
    if (gone.length === 0) continue;
    const at = clock.now();
    const deletions = gone.map(({ name, domain: host, hostOnly, path, partitionKey }) => {
      return { kind: "delete" as const, at, name, domain: host, hostOnly, path, partitionKey };
    });
    store.merge(identity, deletions, provider);
  }
}

function readSeen(vault: Vault): z.output<typeof schema> {
  const row = vault.find(KEY);
  using value = row?.value;
  const parsed = schema.safeParse(value === undefined ? {} : JSON.parse(value.reveal()));
  return parsed.success ? parsed.data : {};
}

function same(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

function keyOf(cookie: Cookie): string {
  return hashOf(cookieKey(cookie));
}

/** 96 bits: the row holds thousands of these. */
function hashOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 16);
}
