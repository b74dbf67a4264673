import { type Connection, foreignHosts } from "../../auth/index.ts";
import { DeputyError, shellWord } from "../../kernel/index.ts";
import type { Skill, SkillLibrary } from "../../skills/index.ts";
import { foldDomain } from "../../vault/index.ts";
import { siteConnection } from "./site-connection.ts";
import type { SkillsAt } from "./skills-at.ts";

interface Asked {
  readonly target: string;
  readonly connection?: string;
}

export interface FoundConnection {
  readonly connection: Connection;
  /** Null: no skill describes it, or none that may speak for it. */
  readonly skill: Skill | null;
  /** Hosts outside its domain the skill could send the login to: nothing is checked at its word then. */
  readonly foreign: readonly string[];
}

interface Parts {
  readonly library: SkillLibrary;
  readonly skillsAt: SkillsAt;
}

/**
 * The connection a person means by a skill's id, a domain or a URL. `forLogin`: connections of one kind at one domain
 * share their login, so that any of them will do; for a request it matters where each leads.
 */
export async function findConnection(
  { library, skillsAt }: Parts,
  asked: Asked,
  { forLogin = false } = {},
): Promise<FoundConnection> {
  const { target, connection: name } = asked;
  const skill = isId(target) ? await library.find(target) : undefined;
  if (skill !== undefined) return named(skill, ofSkill(skill, name, forLogin));
  if (isId(target) && !target.includes(".") && target !== "localhost") await library.get(target); // says what is wrong
  const domain = foldDomain(target);
  const there = await skillsAt.at(domain);
  const chosen = there.filter(({ connection }) => name === undefined || connection.name === name);
  const kinds = new Set(chosen.map(({ connection }) => connection.auth?.type));
  if (kinds.size > 1) {
    const choices = chosen.map(
      ({ connection: { skill, name, auth } }) =>
        `deputy login ${shellWord(skill)} --connection ${shellWord(name)} (${auth?.type})`,
    );
    throw new DeputyError("BAD_USAGE", `There are several ways to log in at ${domain}`, {
      hint: choices.join(", or "),
    });
  }
  const first = mostTelling(chosen.map(({ connection }) => connection));
  if (first === undefined) return { skill: null, connection: siteConnection(asUrl(target)), foreign: [] };
  const by = chosen.find(({ connection }) => connection === first);
  return { skill: by?.skill ?? null, connection: first, foreign: [] };
}

/** A skill the person named: what it says counts, but a login of another service is not tried out where it says. */
function named(skill: Skill, connection: Connection): FoundConnection {
  const foreign = connection.auth === null ? [] : foreignHosts(connection);
  if (foreign.length === 0 || connection.auth === null) return { skill, connection, foreign };
  return { skill, connection: { ...connection, auth: { ...connection.auth, check: null } }, foreign };
}

/** Of several that describe one login, the one that can say whose it is, else the one that knows its cookies. */
export function mostTelling(connections: readonly Connection[]): Connection | undefined {
  const worth = (connection: Connection) => {
    const { auth } = connection;
    const own = foreignHosts(connection).length === 0 ? 4 : 0;
    return own + (auth?.check === null ? 0 : 2) + (auth?.type === "cookies" && auth.names.length > 0 ? 1 : 0);
  };
  return connections.toSorted((a, b) => worth(b) - worth(a))[0];
}

function ofSkill(skill: Skill, name: string | undefined, forLogin: boolean): Connection {
  const all = [...skill.connections.values()];
  const named =
    name === undefined ? all.filter(({ auth }) => auth !== null) : all.filter((one) => one.name === name);
  const logins = new Set(
    named.map(({ domain, auth, name }) => (forLogin ? `${domain} ${auth?.type}` : name)),
  );
  const only = mostTelling(named);
  if (only !== undefined && logins.size === 1) return only;
  const names = all.map((one) => `${one.name} (${one.auth?.type ?? "no login"})`).join(", ");
  if (only === undefined) {
    throw new DeputyError(
      "NOT_FOUND",
      name === undefined ? `${skill.id} needs no login` : `${skill.id} has no connection ${name}`,
      {
        hint: all.length === 0 ? "It reaches no service." : `It has ${names}.`,
      },
    );
  }
  throw new DeputyError("BAD_USAGE", `${skill.id} has several connections: ${names}`, {
    hint: `Say which: --connection ${only.name}`,
  });
}

function isId(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]*$/.test(text);
}

function asUrl(target: string): string {
  return /^https?:\/\//i.test(target) ? target : `https://${target.replace(/^\.+/, "")}/`;
}
