import { createLoginStore } from "../auth/index.ts";
import type { Cookie } from "../cookies/index.ts";
import { type Clock, DeputyError } from "../kernel/index.ts";
import type { Deletion, Refusal } from "../surfaces/index.ts";
import { foldDomain, type Vault } from "../vault/index.ts";
import { glanceLogins } from "./internal-rows.ts";
import type { DeliverInput } from "./deliver-methods.ts";

export interface DeliverableLogins {
  readonly want: readonly Cookie[];
  readonly gone: readonly Deletion[];
  /** Domains with several accounts and no word on which. */
  readonly refused: readonly Refusal[];
  /** Domains somebody has to choose an account for are not among them. */
  readonly domains: readonly string[];
}

/** The vault's cookie logins, one account a domain: which of several is for the owner to say. */
export function deliverableLogins(
  { vault, clock }: { vault: Vault; clock: Clock },
  { domains, account }: Pick<DeliverInput, "domains" | "account">,
): DeliverableLogins {
  const asked = domains?.map((domain) => foldDomain(domain));
  const store = createLoginStore({ vault, clock });
  const rows = glanceLogins(vault).filter(({ key }) => key.itemType === "cookies");
  const accounts = Map.groupBy(rows, ({ key }) => key.domain);
  const [want, gone, refused, chosen]: [Cookie[], Deletion[], Refusal[], string[]] = [[], [], [], []];
  for (const domain of asked ?? [...accounts.keys()].sort()) {
    const there = (accounts.get(domain) ?? []).map(({ key }) => key.identifier);
    const meant = account === undefined ? there : there.filter((one) => one === account);
    const [only] = meant;
    if (meant.length > 1) {
      const several = new DeputyError(
        "BAD_USAGE",
        `There are several accounts at ${domain}: ${there.join(", ")}`,
        {
          hint: `Say which: --domain ${domain} --account ${there[0] ?? ""}`,
        },
      );
      if (asked !== undefined) throw several;
      refused.push({ name: "*", domain, reason: `${several.message}; say which with --account` });
      continue;
    }
    if (only === undefined && asked !== undefined)
      throw new DeputyError(
        "NOT_FOUND",
        `There are no cookies${account === undefined ? "" : ` of ${account}`} at ${domain} in the vault`,
        {
          hint: `Log in: deputy login ${domain}. See what there is: deputy vault list`,
        },
      );
    if (only === undefined) continue;
    const login = store.find({ domain, identifier: only });
    chosen.push(domain);
    want.push(...(login?.cookies ?? []));
    gone.push(...(login?.gone ?? []).map((one) => ({ ...one, kind: "delete" as const })));
  }
  return { want, gone, refused, domains: chosen };
}
