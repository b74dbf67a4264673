import type { Browsers, SurveyedRow } from "../../browsers/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { loginHosts, type Skill, type SkillLibrary } from "../../skills/index.ts";
import { foldDomain } from "../../vault/index.ts";
import type { BrowserRow, Calls } from "../methods.ts";
import type { FoundDomain } from "./setup-methods.ts";

interface Parts {
  readonly browsers: Pick<Browsers, "survey">;
  readonly library: Pick<SkillLibrary, "list">;
}

/** A browser keeps a few thousand cookies at most; a store that somebody made up may name any number of domains. */
const MOST_DOMAINS = 5000;

type Counts = Omit<FoundDomain, "skills">;

/** What is in the owner's browsers, for the owner to choose from. */
export function createSetupCalls({ browsers, library }: Parts): Calls<"setup.logins"> {
  return {
    "setup.logins": async () => {
      const rows = await browsers.survey();
      // What cannot be opened cannot be shared.
      const counts = byDomain(rows.filter(({ readable }) => readable));
      const skills = counts.length === 0 ? [] : await bundled(library);
      const domains = counts
        .map((count) => ({ ...count, skills: skills.flatMap((skill) => usedBy(skill, count.domain)) }))
        .sort(likeliestFirst);
      return {
        profiles: rows.map(asProfile),
        domains: domains.slice(0, MOST_DOMAINS),
        more: Math.max(0, domains.length - MOST_DOMAINS),
      };
    },
  };
}

/** Warnings name the cookies they are about, which is more than is told here. */
function asProfile({ browser, profile, path, cookies, readable, warnings }: SurveyedRow): BrowserRow {
  const told = warnings.map(({ code, message }) => ({ code, message }));
  return { browser, profile, path, cookies, readable, warnings: told };
}

function byDomain(rows: readonly SurveyedRow[]): Counts[] {
  const found = new Map<string, { cookies: number; login: boolean; profiles: Set<string> }>();
  // Profiles have most hosts in common, and finding a host's domain costs more than all else here.
  const domains = new Map<string, string | undefined>();
  for (const { browser, profile, hosts } of rows) {
    for (const { host, cookies, logins } of hosts) {
      if (!domains.has(host)) domains.set(host, domainOf(host));
      const domain = domains.get(host);
      if (domain === undefined) continue;
      const count = found.get(domain) ?? { cookies: 0, login: false, profiles: new Set() };
      count.cookies += cookies;
      count.login ||= logins > 0;
      count.profiles.add(`${browser}/${profile}`);
      found.set(domain, count);
    }
  }
  return [...found].map(([domain, count]) => ({ domain, ...count, profiles: [...count.profiles] }));
}

/** Undefined for what no browser would have stored, and could not be shared: a name is written by whoever made the store. */
function domainOf(host: string): string | undefined {
  try {
    return foldDomain(host);
  } catch (error) {
    if (error instanceof DeputyError) return undefined;
    throw error;
  }
}

async function bundled(library: Parts["library"]): Promise<Skill[]> {
  const entries = await library.list();
  return entries.flatMap(({ skill }) => (skill?.origin === "bundled" ? [skill] : []));
}

function usedBy(skill: Skill, domain: string): FoundDomain["skills"] {
  const connections = [...skill.connections.values()].filter(
    (one) => one.auth?.type === "cookies" && one.domain === domain,
  );
  if (connections.length === 0) return [];
  const names = new Set(connections.map(({ name }) => name));
  const operation = [...skill.operations.values()].find(
    (one) =>
      one.effect === "read" &&
      names.has(one.connections[0] ?? "") &&
      [...one.params.values()].every(({ required }) => !required),
  );
  const { id, name, pin } = skill;
  return [{ id, name, pin, hosts: loginHosts(skill, domain), operation: operation?.name ?? null }];
}

function likeliestFirst(a: FoundDomain, b: FoundDomain): number {
  return (
    Number(b.login) - Number(a.login) ||
    Number(b.skills.length > 0) - Number(a.skills.length > 0) ||
    b.cookies - a.cookies ||
    (a.domain < b.domain ? -1 : 1)
  );
}
