import { type Borrow, type Connection, type Identify, isProvisional, type Lender } from "../../auth/index.ts";
import type { Skill } from "../../skills/index.ts";
import type { Vault } from "../../vault/index.ts";
import { mostTelling } from "./find-connection.ts";
import { siteConnection } from "./site-connection.ts";
import type { SkillsAt } from "./skills-at.ts";

/** The skill's own way to say whose login it has, where it has one. */
export type IdentifyBy = (skill: Skill | null, connection: Connection) => Identify | undefined;

interface Parts {
  readonly skillsAt: SkillsAt;
  readonly identifyBy: IdentifyBy;
}

interface Asked {
  readonly url: string;
  readonly account?: string | undefined;
  readonly provider?: string | undefined;
}

/**
 * What a call borrows that knows only an address: the site's cookies, as a browser would go there. A skill that
 * describes the site lends its names and, where the owner allowed it, its check, so that the account gets the name it has
 * everywhere.
 */
export async function cookieBorrow(parts: Parts, lender: Lender, asked: Asked): Promise<Borrow> {
  const { skillsAt, identifyBy } = parts;
  const { url, account, provider } = asked;
  const site = siteConnection(url);
  const there = await skillsAt.at(site.domain, "cookies");
  const described = mostTelling(there.map(({ connection }) => connection));
  if (described?.auth?.type !== "cookies") return { connection: site, account, provider };
  const { skill, name, helpUrl } = described;
  // Its check goes its own way: the call itself still reaches no more than the site.
  const auth = { ...described.auth, check: null };
  const by = there.find(({ connection }) => connection === described);
  const identify = lender.checkOf(described) ?? identifyBy(by?.skill ?? null, described);
  return { connection: { ...site, skill, name, helpUrl, auth }, account, provider, identify };
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
