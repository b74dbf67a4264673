import type { Clock } from "../kernel/index.ts";
import type { Vault } from "../vault/index.ts";
import type { Borrow, Found } from "./borrow.ts";
import { keepSecret } from "./keep-secret.ts";

export interface SupplyQuestion {
  readonly type: "api_key" | "oauth";
  readonly domain: string;
  readonly service: string | null;
  readonly scopes: readonly string[];
  readonly account: string | undefined;
}

/** Another program that has keys or tokens, such as a mail client: asked when the vault has none that works. */
export interface Supplier {
  /** A skill's id. */
  readonly id: string;
  supply(
    question: SupplyQuestion,
  ): Promise<readonly { readonly identifier: string; readonly value: Readonly<Record<string, unknown>> }[]>;
}

interface Parts {
  readonly vault: Vault;
  readonly clock: Clock;
  readonly suppliers?: ((question: SupplyQuestion) => Promise<readonly Supplier[]>) | undefined;
}

/** The vault's login, else what a supplier has: it is put into the vault first, so that there is one way to lend. */
export async function lendOrSupply(
  parts: Parts,
  borrow: Borrow,
  question: SupplyQuestion,
  lendFrom: (borrow: Borrow) => Promise<Found>,
): Promise<Found> {
  const { provider, exclude, account } = borrow;
  const usesVault = provider === undefined && exclude?.includes("vault") !== true;
  const found: Found = usesVault ? await lendFrom(borrow) : { kind: "needs-login", considered: [] };
  if (found.kind !== "needs-login") return found;
  const all = (await parts.suppliers?.(question)) ?? [];
  const asked = all.filter(
    ({ id }) => (provider === undefined || id === provider) && exclude?.includes(id) !== true,
  );
  const since = parts.clock.now();
  const names = new Set<string>();
  for (const supplier of asked) {
    for (const { identifier, value } of await supplier.supply(question)) {
      if (account !== undefined && identifier !== account) continue;
      const { domain, type: itemType } = question;
      keepSecret(parts, { domain, identifier, itemType, value, label: null, source: supplier.id, since });
      names.add(identifier);
    }
  }
  const [only, ...others] = names;
  if (only === undefined) return found;
  return lendFrom(others.length === 0 ? { ...borrow, account: only } : borrow);
}
