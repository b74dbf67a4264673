import { z } from "zod";
import { type CookieIdentity, cookieKey } from "../../cookies/index.ts";
import { Secret } from "../../kernel/index.ts";
import type { Deletion } from "../../surfaces/index.ts";
import { foldDomain, type Vault } from "../../vault/index.ts";
import { internalKey } from "../vault/internal-rows.ts";

const identity = z.object({
  name: z.string(),
  domain: z.string(),
  hostOnly: z.boolean(),
  path: z.string(),
  partitionKey: z.object({ topLevelSite: z.string(), crossSiteAncestor: z.boolean() }).nullable(),
});
const schema = z.record(z.string(), z.array(identity));

const KEY = internalKey("deliveries");

/**
 * What was delivered where, without values, in the vault. A cookie that is no longer wanted is taken away where it was
 * put: a vault row that was replaced or removed says nothing of the cookies it had.
 */
export class DeliveryLedger {
  readonly #vault: Vault;
  readonly #known: z.output<typeof schema>;

  constructor(vault: Vault) {
    this.#vault = vault;
    const row = vault.find(KEY);
    using value = row?.value;
    const parsed = schema.safeParse(value === undefined ? {} : JSON.parse(value.reveal()));
    this.#known = parsed.success ? parsed.data : {};
  }

  /** What was put at `target` and is wanted no more. Only of these domains, where some were named. */
  leftovers(
    target: string,
    want: readonly CookieIdentity[],
    at: number,
    only?: ReadonlySet<string>,
  ): Deletion[] {
    const wanted = new Set(want.map(cookieKey));
    return (this.#known[target] ?? [])
      .filter(
        (one) => !wanted.has(cookieKey(one)) && (only === undefined || only.has(foldDomain(one.domain))),
      )
      .map((one) => ({ ...one, kind: "delete", at }));
  }

  record(target: string, want: readonly CookieIdentity[], gone: readonly CookieIdentity[]): void {
    const after = new Map((this.#known[target] ?? []).map((one) => [cookieKey(one), one]));
    for (const one of gone) after.delete(cookieKey(one));
    for (const { name, domain, hostOnly, path, partitionKey } of want) {
      const one = { name, domain, hostOnly, path, partitionKey };
      after.set(cookieKey(one), one);
    }
    const list = [...after.values()];
    if (JSON.stringify(list) === JSON.stringify(this.#known[target] ?? [])) return;
    this.#known[target] = list;
    using value = Secret.fromText(JSON.stringify(this.#known));
    this.#vault.put(KEY, value, { source: "deliver", masked: "deliveries" });
  }
}
