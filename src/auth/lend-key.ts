import type { Expressions } from "../expressions/index.ts";
import type { Http, Lease } from "../http/index.ts";
import type { Identity } from "../kernel/index.ts";
import type { Vault } from "../vault/index.ts";
import { accountsOf } from "./accounts-of.ts";
import type { Borrow, Found } from "./borrow.ts";
import type { Considered } from "./candidate.ts";
import type { Connection, Placement } from "./connection.ts";
import { evaluatePlacement } from "./evaluate-placement.ts";
import { findKey } from "./key-login.ts";
import { fixedLoan } from "./loan.ts";
import { type Placed, placeCredential } from "./place-credential.ts";
import type { PlacementShelf } from "./placement-shelf.ts";
import { secretTexts } from "./secret-texts.ts";

interface Parts {
  readonly vault: Vault;
  readonly http: Http;
  readonly expressions: Expressions;
  readonly placements: PlacementShelf;
}

/** A key of the vault's, placed where its connection says. */
export async function lendKey(
  { vault, http, expressions, placements }: Parts,
  { connection, account }: Borrow,
  placement: Placement,
): Promise<Found> {
  const { domain } = connection;
  const { meant, others } = accountsFor(vault, domain, "api_key", account);
  if (meant.length > 1)
    return { kind: "ambiguous", accounts: meant, considered: meant.map((one) => inVault(one, "ambiguous")) };
  const [identifier] = meant;
  const identity = identifier === undefined ? undefined : { domain, identifier };
  const found = identity && findKey(vault, identity);
  if (identity === undefined || found === undefined) {
    placements.forget(connection);
    return { kind: "needs-login", considered: others };
  }
  const { values, version } = found;
  const considered = [inVault(identity.identifier, "chosen"), ...others];
  const placed = await placements.place(connection, identity, version, () =>
    evaluatePlacement(expressions, placement, connection, values),
  );
  const lease = keyLease(connection, identity, placed, values);
  return {
    kind: "lent",
    loan: fixedLoan({ connection, identity, provider: "vault", considered, lease, values }, http),
  };
}

/** The accounts a call may mean, and those it does not because it names another. */
export function accountsFor(
  vault: Vault,
  domain: string,
  itemType: string,
  account: string | undefined,
): { readonly meant: string[]; readonly others: Considered[] } {
  const all = accountsOf(vault, domain, itemType);
  const meant = all.filter((one) => account === undefined || one === account);
  const others = all.filter((one) => !meant.includes(one)).map((one) => inVault(one, "another-account"));
  return { meant, others };
}

export function inVault(account: string, verdict: Considered["verdict"]): Considered {
  return { provider: "vault", account, cookies: 0, newestAt: null, verdict, complete: true };
}

/** Keys and tokens go to base_url's origin and the hosts listed, nowhere else. */
export function keyLease(
  connection: Connection,
  identity: Identity | null,
  placed: Placed,
  values: Readonly<Record<string, unknown>>,
): Lease {
  const { mode, baseUrl, hosts } = connection;
  return {
    identity,
    mode,
    baseUrl,
    jar: null,
    credential: placeCredential(placed),
    egress: { domain: null, hosts },
    secrets: secretTexts([placed, values]),
    onJarChange: () => undefined,
  };
}
