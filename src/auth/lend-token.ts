import type { Expressions } from "../expressions/index.ts";
import type { Http } from "../http/index.ts";
import type { Secret } from "../kernel/index.ts";
import type { Vault } from "../vault/index.ts";
import type { Borrow, Found } from "./borrow.ts";
import type { OAuthAuth } from "./connection.ts";
import { accountsFor, inVault } from "./lend-key.ts";
import { oauthService } from "./oauth/service-lookup.ts";
import type { Fresh, TokenKeeper } from "./oauth/token-keeper.ts";
import { TokenLoan } from "./token-loan.ts";

interface Parts {
  readonly vault: Vault;
  readonly http: Http;
  readonly expressions: Expressions;
  readonly tokens: TokenKeeper;
}

export async function lendToken(parts: Parts, borrow: Borrow, auth: OAuthAuth): Promise<Found> {
  const { connection, account } = borrow;
  const { domain } = connection;
  const { meant, others } = accountsFor(parts.vault, domain, "oauth", account);
  if (meant.length > 1)
    return { kind: "ambiguous", accounts: meant, considered: meant.map((one) => inVault(one, "ambiguous")) };
  const [identifier] = meant;
  if (identifier === undefined) return { kind: "needs-login", considered: others };
  const identity = { domain, identifier };
  // A row that was stored by hand may know more than the connection does.
  const service = auth.service === null && auth.tokenUrl === null ? undefined : oauthService(auth);
  const source = {
    connection,
    identity,
    considered: [inVault(identifier, "chosen"), ...others],
    placement: auth.placement,
    fresh: (failed?: Secret, signal = borrow.signal) =>
      parts.tokens.fresh(identity, { scopes: auth.scopes, service, failed, signal }),
  };
  const now = await source.fresh();
  if (now.kind === "token") return { kind: "lent", loan: new TokenLoan(source, now.login, parts) };
  return { kind: "needs-login", considered: [inVault(identifier, "failed-check")], reason: reasonOf(now) };
}

function reasonOf(found: Exclude<Fresh, { kind: "token" }>): string {
  switch (found.kind) {
    case "lacks-scopes":
      return `it was not given ${found.missing.join(", ")}`;
    case "dead":
      return found.reason;
    case "none":
      return "it has just been removed";
    case "expired-without-refresh":
      return "it has ended and cannot be renewed";
  }
}
