import type { Connection } from "../auth/index.ts";
import { DeputyError } from "../kernel/index.ts";
import type { Skill, SkillLibrary } from "../skills/index.ts";
import { foldDomain } from "../vault/index.ts";
import { siteConnection } from "./site-connection.ts";

interface Asked {
  readonly target: string;
  readonly connection?: string;
}

export interface FoundConnection {
  readonly connection: Connection;
  /** Null: no skill describes it. */
  readonly skill: Skill | null;
}

/**
 * The connection a person means by a skill's id, a domain or a URL. `forLogin`: connections of one kind at one domain
 * share their login, so that any of them will do; for a request it matters where each leads.
 */
export async function findConnection(
  library: SkillLibrary,
  asked: Asked,
  { forLogin = false } = {},
): Promise<FoundConnection> {
  const { target, connection: name } = asked;
  const skill = isId(target) ? await library.find(target) : undefined;
  if (skill !== undefined) return { skill, connection: ofSkill(skill, name, forLogin) };
  if (isId(target) && !target.includes(".") && target !== "localhost") await library.get(target); // says what is wrong
  const domain = foldDomain(target);
  const there = (await library.connectionsAt(domain)).filter(({ auth }) => auth !== null);
  const chosen = name === undefined ? there : there.filter((one) => one.name === name);
  const kinds = new Set(chosen.map(({ auth }) => auth?.type));
  if (kinds.size > 1) {
    const choices = chosen.map(
      (one) => `deputy login ${one.skill} --connection ${one.name} (${one.auth?.type})`,
    );
    throw new DeputyError("BAD_USAGE", `There are several ways to log in at ${domain}`, {
      hint: choices.join(", or "),
    });
  }
  const first = mostTelling(chosen);
  if (first === undefined) return { skill: null, connection: siteConnection(asUrl(target)) };
  return { skill: (await library.find(first.skill)) ?? null, connection: first };
}

/** Of several that describe one login, the one that can say whose it is, else the one that knows its cookies. */
export function mostTelling(connections: readonly Connection[]): Connection | undefined {
  const worth = ({ auth }: Connection) =>
    (auth?.check === null ? 0 : 2) + (auth?.type === "cookies" && auth.names.length > 0 ? 1 : 0);
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
