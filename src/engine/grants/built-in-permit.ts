import { type BUILT_INS, deniedError, type GrantRequest, type Grants } from "../../access/index.ts";
import { isProvisional } from "../../auth/index.ts";
import type { Caller, Identity } from "../../kernel/index.ts";

interface Use {
  readonly caller: Caller;
  readonly subject: (typeof BUILT_INS)[number];
  readonly operation: string;
  readonly effect: GrantRequest["effect"];
}

/** What the owner allowed one agent to do with a built-in. The owner needs no grant for these. */
export class BuiltInPermit {
  readonly #grants: Grants | undefined;
  readonly #use: Use;

  private constructor(grants: Grants | undefined, use: Use) {
    this.#grants = grants;
    this.#use = use;
  }

  static async for(grants: () => Promise<Grants>, use: Use): Promise<BuiltInPermit> {
    // The owner may have no vault yet, and reads browsers without one.
    return new BuiltInPermit(use.caller.kind === "owner" ? undefined : await grants(), use);
  }

  /** Throws DENIED where no grant could cover the domain: before a login is looked for, and a service asked whose it is. */
  requireAny(domain: string, account: string | undefined): void {
    const hope = this.#grants?.mightCover({ ...this.#use, pin: null, domain });
    if (hope === false) this.#require({ domain, account: account ?? null });
  }

  /** The login about to be used. A name that only says where it came from is no account yet. */
  requireIdentity(identity: Identity | null): void {
    if (identity === null) return;
    const account = isProvisional(identity) ? null : identity.identifier;
    this.#require({ domain: identity.domain, account });
  }

  #require(identity: { readonly domain: string; readonly account: string | null }): void {
    const decision = this.#grants?.decide({ ...this.#use, pin: null, identity, needs: {} });
    if (decision?.kind === "denied") throw deniedError(decision, [`*.${identity.domain}`]);
  }
}
