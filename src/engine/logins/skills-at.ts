import { coversCaller, type Grants, samePin } from "../../access/index.ts";
import { type Auth, type Connection, foreignHosts } from "../../auth/index.ts";
import { type Clock, DeputyError, shellWord } from "../../kernel/index.ts";
import type { Skill, SkillLibrary } from "../../skills/index.ts";
import { foldDomain } from "../../vault/index.ts";
import { OWNER } from "../owner.ts";

interface Parts {
  readonly library: SkillLibrary;
  readonly grants: () => Promise<Grants>;
  readonly clock: Clock;
}

export interface Described {
  readonly connection: Connection;
  /** Null: it may not speak for the domain. */
  readonly skill: Skill | null;
}

/** What is known of a domain by those who may speak for it, for calls that name no skill. */
export interface SkillsAt {
  /**
   * Connections that lead nowhere else. Where no allowed skill has one, those of the others, without what would be sent
   * or named at their word: any folder can say it is at a domain.
   */
  at(domain: string, type?: Auth["type"]): Promise<readonly Described[]>;
  /** Connections of allowed skills with a key or a token for exactly this origin, and of those not allowed yet. */
  keysFor(url: string): Promise<{ allowed: readonly Described[]; others: readonly Described[] }>;
  /** Whether it came with Deputy, or the owner lets it use a login there. */
  isAllowed(skill: Skill, domain: string): Promise<boolean>;
}

export function createSkillsAt({ library, grants, clock }: Parts): SkillsAt {
  async function isAllowed(skill: Skill, domain: string): Promise<boolean> {
    if (skill.origin === "bundled") return true;
    const pin = skill.dev ? { path: skill.folder } : skill.pin;
    return (await grants())
      .list()
      .some(
        (grant) =>
          grant.subject === skill.id &&
          grant.identity?.domain === domain &&
          coversCaller(grant, OWNER) &&
          samePin(grant.pin, pin) &&
          (grant.expires === null || grant.expires > clock.now()),
      );
  }

  async function sorted(connections: readonly Connection[]) {
    const allowed: Described[] = [];
    const others: Described[] = [];
    for (const connection of connections) {
      if (connection.auth === null || foreignHosts(connection).length > 0) continue;
      const skill = await library.find(connection.skill);
      if (skill !== undefined && (await isAllowed(skill, connection.domain)))
        allowed.push({ connection, skill });
      else others.push({ connection: withoutSay(connection), skill: null });
    }
    return { allowed, others };
  }

  return {
    isAllowed,

    async at(domain, type) {
      const there = await library.connectionsAt(domain);
      const { allowed, others } = await sorted(
        there.filter(({ auth }) => type === undefined || auth?.type === type),
      );
      return allowed.length > 0 ? allowed : others;
    },

    async keysFor(url) {
      const { origin } = new URL(url);
      const there = await library.connectionsAt(foldDomain(url));
      return sorted(
        there.filter(({ auth, baseUrl }) => auth?.type !== "cookies" && baseUrl?.origin === origin),
      );
    },
  };
}

/** Throws DENIED: a key has to be put somewhere in a request, and nobody the owner trusts says where. */
export function nobodyPlaces({ skill, domain }: Connection): DeputyError {
  return new DeputyError("DENIED", `Where the key for ${domain} goes is said by ${skill} only`, {
    hint: `You have not allowed it: deputy grants add --skill ${shellWord(skill)} --identity ${shellWord(domain)}`,
  });
}

/** The kind of login and what its cookies are called: as much as can be believed of anybody. */
function withoutSay(connection: Connection): Connection {
  const { domain, helpUrl, auth } = connection;
  const own = helpUrl !== null && isAt(helpUrl, domain);
  return { ...connection, helpUrl: own ? helpUrl : null, auth: auth && quiet(auth) };
}

function quiet(auth: Auth): Auth {
  switch (auth.type) {
    case "api_key":
      return { ...auth, check: null, placement: { header: null, query: null, body: null } };
    case "oauth":
      return { ...auth, check: null, placement: null };
    case "cookies":
      return { ...auth, check: null, login: [] };
  }
}

function isAt(url: string, domain: string): boolean {
  return URL.canParse(url) && foldDomain(new URL(url).hostname) === domain;
}
