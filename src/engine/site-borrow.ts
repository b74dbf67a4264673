import { type Borrow, type Connection, type Identify, isProvisional, type Lender } from "../auth/index.ts";
import type { Skill, SkillLibrary } from "../skills/index.ts";
import type { Vault } from "../vault/index.ts";
import { mostTelling } from "./find-connection.ts";
import { siteConnection } from "./site-connection.ts";

interface Parts {
  readonly library: SkillLibrary;
  readonly identifyBy: (skill: Skill | null, connection: Connection) => Identify | undefined;
}

interface Asked {
  readonly url: string;
  readonly account?: string | undefined;
  readonly provider?: string | undefined;
}

/**
 * What a call borrows that knows only an address: the site's cookies, as a browser would go there. A skill that
 * describes the site lends its names and its check, so that the account gets the name it has everywhere.
 */
export async function cookieBorrow(parts: Parts, lender: Lender, asked: Asked): Promise<Borrow> {
  const { library, identifyBy } = parts;
  const { url, account, provider } = asked;
  const site = siteConnection(url);
  const there = await library.connectionsAt(site.domain);
  const described = mostTelling(there.filter(({ auth }) => auth?.type === "cookies"));
  if (described?.auth?.type !== "cookies") return { connection: site, account, provider };
  const { skill, name, helpUrl } = described;
  // Its check goes its own way: the call itself still reaches no more than the site.
  const auth = { ...described.auth, check: null };
  const identify =
    lender.checkOf(described) ?? identifyBy((await library.find(described.skill)) ?? null, described);
  return { connection: { ...site, skill, name, helpUrl, auth }, account, provider, identify };
}

/** Connections with a key or a token for exactly this origin. */
export async function keyConnections(library: SkillLibrary, url: string): Promise<Connection[]> {
  const { origin } = new URL(url);
  return (await library.list())
    .flatMap(({ skill }) => [...(skill?.connections.values() ?? [])])
    .filter(({ auth, baseUrl }) => hasKey(auth) && baseUrl?.origin === origin);
}

/**
 * Whose logins the vault has for a connection: the account's, else those of everybody whose name is known. Cookies that
 * nobody has asked about may be no login at all.
 */
export function storedAccounts(
  vault: Vault,
  { domain, auth }: Connection,
  account: string | undefined,
): string[] {
  return vault
    .keysOf(domain)
    .filter(({ itemType }) => itemType === auth?.type)
    .filter((key) => (account === undefined ? !isProvisional(key) : key.identifier === account))
    .map(({ identifier }) => identifier);
}

function hasKey(auth: Connection["auth"]): boolean {
  return auth?.type === "api_key" || auth?.type === "oauth";
}
