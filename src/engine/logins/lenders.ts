import { createLender, type CookieProvider, type Lender } from "../../auth/index.ts";
import type { Browsers, CookieReader } from "../../browsers/index.ts";
import type { Expressions } from "../../expressions/index.ts";
import type { Http, TransportPool } from "../../http/index.ts";
import { type Clock, newId } from "../../kernel/index.ts";
import type { SkillProviders } from "../../skills/index.ts";
import type { Vault } from "../../vault/index.ts";
import { isAddress } from "../is-address.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly door: VaultDoor;
  readonly browsers: Browsers;
  readonly http: Http;
  readonly pool: Pick<TransportPool, "drop">;
  readonly expressions: Expressions;
  readonly clock: Clock;
  readonly live: LiveProviders;
  readonly fromSkills: SkillProviders;
}

/** Browsers that are running for somebody: asked only by name. */
export class LiveProviders {
  readonly #all = new Map<string, CookieProvider>();

  register(provider: CookieProvider): Disposable {
    this.#all.set(provider.id, provider);
    return { [Symbol.dispose]: () => void this.#all.delete(provider.id) };
  }

  list(): CookieProvider[] {
    return [...this.#all.values()];
  }
}

/** The lender of the vault that is open now: a vault opened with another key has nothing remembered. */
export function createLenders({ door, browsers, live, fromSkills, ...parts }: Parts): () => Promise<Lender> {
  const lenders = new WeakMap<Vault, Lender>();
  const providers = async (asked: string | undefined) => [
    ...providersOf(browsers, asked),
    ...live.list(),
    ...(await fromSkills.cookies()),
  ];
  return async () => {
    const vault = await door.get();
    const known = lenders.get(vault);
    if (known !== undefined) return known;
    const lender = createLender({
      ...parts,
      vault,
      providers,
      suppliers: (question) => fromSkills.suppliers(question),
    });
    lenders.set(vault, lender);
    return lender;
  };
}

function providersOf(browsers: Browsers, asked: string | undefined): CookieProvider[] {
  const profiles = browsers
    .list()
    .map((profile) => providerOf(`${profile.browser}/${profile.profile}`, browsers.reader(profile)));
  if (asked === undefined || !isAddress(asked)) return profiles;
  return [{ ...providerOf(asked, browsers.live(asked)), live: true, stamp: async () => newId("read") }];
}

function providerOf(id: string, reader: CookieReader): CookieProvider {
  return {
    id,
    live: false,
    stamp: () => reader.stamp(),
    async cookies(domain) {
      const { cookies, warnings } = await reader.read({ under: domain });
      // A partition's cookies belong to the site around them, not to this login.
      const own = cookies.filter(({ partitionKey }) => partitionKey === null);
      return { cookies: own, warnings: warnings.map(({ message }) => message) };
    },
  };
}
