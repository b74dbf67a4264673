import { type CookieLogin, createLoginStore } from "../../auth/index.ts";
import { type Cookie, cookieKey } from "../../cookies/index.ts";
import { type Clock, DeputyError } from "../../kernel/index.ts";
import type { Deletion, Refusal } from "../../surfaces/index.ts";
import { foldDomain, type Vault } from "../../vault/index.ts";
import { glanceLogins } from "../vault/internal-rows.ts";
import type { DeliverInput } from "./deliver-methods.ts";

interface DeliverableLogins {
  readonly want: readonly Cookie[];
  readonly gone: readonly Deletion[];
  /** Domains with several accounts and no word on which. */
  readonly refused: readonly Refusal[];
  /** Domains somebody has to choose an account for are not among them. */
  readonly domains: readonly string[];
}

interface Parts {
  readonly vault: Vault;
  readonly clock: Clock;
  /** By domain, the account the owner chose for good. */
  readonly accounts?: Readonly<Record<string, string>>;
}

const NOTHING: CookieLogin = { cookies: [], gone: [] };

/** The vault's cookie logins, one account a domain: which of several is for the owner to say. */
export function deliverableLogins(
  { vault, clock, accounts: preferred = {} }: Parts,
  { domains, account }: Pick<DeliverInput, "domains" | "account">,
): DeliverableLogins {
  const asked = domains?.map((domain) => foldDomain(domain));
  const store = createLoginStore({ vault, clock });
  const rows = glanceLogins(vault).filter(({ key }) => key.itemType === "cookies");
  const accounts = Map.groupBy(rows, ({ key }) => key.domain);
  const [want, gone, refused, chosen]: [Cookie[], Deletion[], Refusal[], string[]] = [[], [], [], []];
  for (const domain of asked ?? [...accounts.keys()].sort()) {
    const there = (accounts.get(domain) ?? []).map(({ key }) => ({
      identifier: key.identifier,
      login: store.find(key) ?? NOTHING,
    }));
    const wanted = account ?? preferred[domain];
    const named = there.filter(({ identifier }) => wanted === undefined || identifier === wanted);
    const meant = named.length > 1 ? named.filter(({ login }) => isAlive(login, clock.now())) : named;
    const [only] = meant;
    if (meant.length > 1) {
      const names = meant.map(({ identifier }) => identifier);
      const several = new DeputyError(
        "BAD_USAGE",
        `There are several accounts at ${domain}: ${names.join(", ")}`,
        {
          hint: `Say which: --domain ${domain} --account ${names[0] ?? ""}`,
        },
      );
      if (asked !== undefined) throw several;
      const how = "say which with --account, or for good under surfaces.accounts in config.yaml";
      refused.push({ name: "*", domain, reason: `${several.message}; ${how}` });
      continue;
    }
    if (named.length === 0 && asked !== undefined)
      throw new DeputyError(
        "NOT_FOUND",
        `There are no cookies${wanted === undefined ? "" : ` of ${wanted}`} at ${domain} in the vault`,
        {
          hint: `Log in: deputy login ${domain}. See what there is: deputy vault list`,
        },
      );
    if (named.length === 0) continue;
    chosen.push(domain);
    const cookies = only?.login.cookies ?? [];
    want.push(...cookies);
    const held = new Set(cookies.map(cookieKey));
    for (const { login } of named)
      for (const one of login.gone) if (!held.has(cookieKey(one))) gone.push({ ...one, kind: "delete" });
  }
  return { want, gone, refused, domains: chosen };
}

/** A login that ended is nobody's to choose, but what it ended is still to be taken away. */
function isAlive({ cookies }: CookieLogin, now: number): boolean {
  return cookies.some(({ expires }) => expires === null || expires > now);
}
