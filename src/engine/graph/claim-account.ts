import { isProvisional } from "../../auth/index.ts";
import type { Identity } from "../../kernel/index.ts";

/** What a key is stored under where nobody said whose it is. */
const NAMELESS = "default";

/** The login is the owner's, so the account is. Once is enough for as long as the engine runs. */
export function createClaim(graph: {
  claimAccount(identity: Identity): Promise<unknown>;
}): (identity: Identity) => Promise<void> {
  const claimed = new Set<string>();
  return async (identity) => {
    const name = `${identity.domain} ${identity.identifier}`;
    if (claimed.has(name) || isProvisional(identity) || identity.identifier === NAMELESS) return;
    claimed.add(name);
    try {
      await graph.claimAccount(identity);
    } catch (error) {
      claimed.delete(name);
      throw error;
    }
  };
}
