import { createHash } from "node:crypto";
import { createLoginStore, type LoginStore } from "../auth/index.ts";
import type { BrowserProfile, Browsers } from "../browsers/index.ts";
import type { Cookie } from "../cookies/index.ts";
import { type Clock, DeputyError } from "../kernel/index.ts";
import type { SourceLogin } from "../sync/index.ts";
import { foldDomain, type RowSummary, type Vault } from "../vault/index.ts";
import { listLogins } from "./internal-rows.ts";

/** The mark of a row that another machine sent. */
export const peerSource = (name: string) => `peer:${name}`;

interface Options {
  readonly vault: Vault;
  /** Changes when the policy does: what stayed here before may go now. */
  readonly policy: string;
  /** Whether the owner opted in to this identity's keys and tokens. */
  readonly withRows: (key: { readonly domain: string; readonly identifier: string }) => boolean;
}

interface Read {
  readonly stamp: string;
  readonly byDomain: ReadonlyMap<string, { readonly hash: string; readonly cookies: readonly Cookie[] }>;
}

/** The logins of this machine: those of the vault, and of browsers where the vault has none for the domain. */
export class SourceLogins {
  readonly #browsers: Browsers;
  readonly #clock: Clock;
  readonly #read = new Map<string, Read>();
  readonly #stores = new WeakMap<Vault, LoginStore>();

  constructor(parts: { browsers: Browsers; clock: Clock }) {
    this.#browsers = parts.browsers;
    this.#clock = parts.clock;
  }

  async list(options: Options): Promise<SourceLogin[]> {
    const kept = this.#inVault(options);
    const domains = new Set(kept.map(({ domain }) => domain));
    const found: SourceLogin[] = [];
    for (const profile of this.#browsers.list()) {
      for (const login of await this.#inBrowser(profile, options.policy))
        if (!domains.has(login.domain)) found.push(login);
    }
    return [...kept, ...found];
  }

  #inVault({ vault, policy, withRows }: Options): SourceLogin[] {
    const store = this.#stores.get(vault) ?? createLoginStore({ vault, clock: this.#clock });
    this.#stores.set(vault, store);
    const identities = Map.groupBy(
      listLogins(vault).filter(isOurs),
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

  async #inBrowser(profile: BrowserProfile, policy: string): Promise<SourceLogin[]> {
    const name = `${profile.browser}/${profile.profile}`;
    const { byDomain } = await this.#readProfile(name, profile);
    return Array.from(byDomain, ([domain, { hash, cookies }]) => {
      const read = async () => ({ cookies, rows: new Map<string, string>() });
      return { domain, identifier: `@${name}`, stamp: `${policy} ${hash}`, read };
    });
  }

  /** A store that has not changed is not read again; one that cannot be read keeps what was read of it before. */
  async #readProfile(name: string, profile: BrowserProfile): Promise<Read> {
    const before = this.#read.get(name) ?? { stamp: "", byDomain: new Map() };
    try {
      const reader = this.#browsers.reader(profile);
      const stamp = await reader.stamp();
      if (before.stamp === stamp) return before;
      const { cookies, warnings } = await reader.read();
      // A deletion that is only a failure to read would log the other machine out.
      if (cookies.length === 0 && warnings.length > 0) return before;
      const groups = Map.groupBy(cookies, ({ domain }) => foldDomain(domain));
      const byDomain = new Map(
        Array.from(groups, ([domain, own]) => [domain, { hash: hashOf(own), cookies: own }]),
      );
      const read = { stamp, byDomain };
      this.#read.set(name, read);
      return read;
    } catch (error) {
      if (error instanceof DeputyError) return before;
      throw error;
    }
  }
}

/** What came from another machine is not sent on: two machines would tell each other the same for ever. */
function isOurs({ meta }: RowSummary): boolean {
  return typeof meta !== "string" && !meta.source.startsWith("peer:");
}

function valueOf(vault: Vault, key: RowSummary["key"]): [type: string, value: string] {
  const row = vault.find(key);
  if (row === undefined) throw new DeputyError("CONFLICT", "A row was removed while it was being read");
  using value = row.value;
  return [key.itemType, value.reveal()];
}

function hashOf(cookies: readonly Cookie[]): string {
  return createHash("sha256").update(JSON.stringify(cookies)).digest("base64url");
}
