import { createHash } from "node:crypto";
import { createLoginStore, type LoginStore } from "../../auth/index.ts";
import type { BrowserProfile, Browsers } from "../../browsers/index.ts";
import type { Cookie } from "../../cookies/index.ts";
import { type Clock, DeputyError } from "../../kernel/index.ts";
import type { SourceLogin } from "../../sync/index.ts";
import { foldDomain, type RowSummary, type Vault } from "../../vault/index.ts";
import { isWhole } from "../delivery/browser-states.ts";
import { followLogouts } from "../delivery/follow-logouts.ts";
import { glanceLogins } from "../vault/internal-rows.ts";

/** The mark of a row that another machine sent. */
export const peerSource = (name: string) => `peer:${name}`;

interface Options {
  readonly vault: Vault;
  /** Changes when the policy does: what stayed here before may go now. */
  readonly policy: string;
  /** Whether the owner opted in to this identity's keys and tokens. */
  readonly withRows: (key: { readonly domain: string; readonly identifier: string }) => boolean;
}

interface Parts {
  readonly browsers: Browsers;
  readonly clock: Clock;
  /** Has a newer login of the domain in a browser adopted into the vault, where there is one. */
  readonly refresh: (domain: string) => Promise<unknown>;
}

interface Found {
  readonly logins: readonly SourceLogin[];
  /** Whether nothing can be said of that login now: its browser could not be read whole. */
  readonly isUnknown: (login: { readonly identifier: string }) => boolean;
}

interface Read {
  readonly stamp: string;
  /** Not all of it could be read: what is missing may be there all the same. */
  readonly partial: boolean;
  readonly byDomain: ReadonlyMap<string, { readonly hash: string; readonly cookies: readonly Cookie[] }>;
}

const UNREAD: Read = { stamp: "", partial: true, byDomain: new Map() };

/** The logins of this machine: those of the vault, and of browsers where the vault has none for the domain. */
export class SourceLogins {
  readonly #browsers: Browsers;
  readonly #clock: Clock;
  readonly #refresh: Parts["refresh"];
  readonly #read = new Map<string, Read>();
  /** What was last compared with the vault: sites of the vault, by what was read of a browser. */
  readonly #followed = new WeakMap<Read, Set<string>>();
  readonly #stores = new WeakMap<Vault, LoginStore>();

  constructor({ browsers, clock, refresh }: Parts) {
    this.#browsers = browsers;
    this.#clock = clock;
    this.#refresh = refresh;
  }

  async list(options: Options): Promise<Found> {
    const reads = new Map<string, Read>();
    for (const profile of this.#browsers.list()) {
      const name = `${profile.browser}/${profile.profile}`;
      reads.set(name, await this.#readProfile(name, profile));
    }
    await this.#follow(options.vault, reads);
    const kept = this.#inVault(options);
    const domains = new Set(kept.map(({ domain }) => domain));
    const found = Array.from(reads, ([name, read]) => inBrowser(name, read, options.policy)).flat();
    const unknown = new Set(Array.from(reads, ([name, { partial }]) => (partial ? `@${name}` : "")));
    return {
      logins: [...kept, ...found.filter(({ domain }) => !domains.has(domain))],
      isUnknown: ({ identifier }) => unknown.has(identifier),
    };
  }

  /** Brings the vault's copies of browsers' logins up to date: logged out where they were, newer where they are. */
  async #follow(vault: Vault, reads: ReadonlyMap<string, Read>): Promise<void> {
    const domains = ownDomains(vault);
    const whole = [...reads].filter(([, { partial }]) => !partial);
    const isDone = ([, read]: [string, Read]) => domains.isSubsetOf(this.#followed.get(read) ?? new Set());
    if (whole.every(isDone)) return;
    const browsers = whole.map(([provider, { byDomain }]) => ({
      provider,
      cookiesAt: (domain: string) => byDomain.get(domain)?.cookies ?? [],
    }));
    const clock = this.#clock;
    const news = followLogouts({ vault, store: this.#storeOf(vault), clock, browsers, domains });
    // What cannot be adopted now, such as an account nobody could name, stays as it is.
    for (const domain of news) await this.#refresh(domain).catch(() => {});
    for (const [, read] of whole) this.#followed.set(read, domains);
  }

  #storeOf(vault: Vault): LoginStore {
    const store = this.#stores.get(vault) ?? createLoginStore({ vault, clock: this.#clock });
    this.#stores.set(vault, store);
    return store;
  }

  #inVault({ vault, policy, withRows }: Options): SourceLogin[] {
    const store = this.#storeOf(vault);
    const identities = Map.groupBy(
      glanceLogins(vault).filter(isOurs),
      ({ key }) => `${key.domain}\0${key.identifier}`,
    );
    return [...identities.values()].flatMap((rows): SourceLogin[] => {
      const [first] = rows;
      if (first === undefined) return [];
      const { domain, identifier } = first.key;
      const chosen = rows.filter(({ key }) => key.itemType === "cookies" || withRows(key));
      if (chosen.length === 0) return [];
      const stamp = [policy, ...chosen.map(({ key, version }) => `${key.itemType}:${version}`)].join(" ");
      const read = async () => ({
        cookies: store.find({ domain, identifier })?.cookies ?? [],
        rows: new Map(chosen.flatMap(({ key }) => (key.itemType === "cookies" ? [] : [valueOf(vault, key)]))),
      });
      return [{ domain, identifier, stamp, read }];
    });
  }

  /** A store that has not changed is not read again; one that cannot be read keeps what was read of it before. */
  async #readProfile(name: string, profile: BrowserProfile): Promise<Read> {
    const before = this.#read.get(name) ?? UNREAD;
    try {
      const reader = this.#browsers.reader(profile);
      const stamp = await reader.stamp();
      if (before.stamp === stamp) return before;
      const { cookies, warnings } = await reader.read();
      if (!isWhole(warnings)) return { ...before, partial: true };
      const groups = Map.groupBy(cookies, ({ domain }) => foldDomain(domain));
      const byDomain = new Map(
        Array.from(groups, ([domain, own]) => [domain, { hash: hashOf(own), cookies: own }]),
      );
      const read = { stamp, partial: false, byDomain };
      this.#read.set(name, read);
      return read;
    } catch (error) {
      if (error instanceof DeputyError) return { ...before, partial: true };
      throw error;
    }
  }
}

function inBrowser(name: string, { byDomain }: Read, policy: string): SourceLogin[] {
  return Array.from(byDomain, ([domain, { hash, cookies }]) => {
    const read = async () => ({ cookies, rows: new Map<string, string>() });
    return { domain, identifier: `@${name}`, stamp: `${policy} ${hash}`, read };
  });
}

/** Where the vault has cookie logins that did not come from another machine. */
export function ownDomains(vault: Vault): Set<string> {
  const rows = glanceLogins(vault).filter((row) => row.key.itemType === "cookies" && isOurs(row));
  return new Set(rows.map(({ key }) => key.domain));
}

/** What came from another machine is not sent on: two machines would tell each other the same for ever. */
function isOurs({ meta }: RowSummary): boolean {
  return typeof meta !== "string" && !meta.source.startsWith("peer:");
}

function valueOf(vault: Vault, key: RowSummary["key"]): [type: string, value: string] {
  const row = vault.find(key);
  if (row === undefined)
    throw new DeputyError("CONFLICT", "A row was removed while it was being read", { hint: "Try again." });
  using value = row.value;
  return [key.itemType, value.reveal()];
}

function hashOf(cookies: readonly Cookie[]): string {
  return createHash("sha256").update(JSON.stringify(cookies)).digest("base64url");
}
