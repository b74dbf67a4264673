import type { Grants } from "../../access/index.ts";
import type { CookieProvider, Supplier, SupplyQuestion } from "../../auth/index.ts";
import { type Cookie, parseCookie } from "../../cookies/index.ts";
import { type Clock, DeputyError, newId, shellWord } from "../../kernel/index.ts";
import { isObject } from "../executors/evaluate.ts";
import type { SkillLibrary } from "../library/skill-library.ts";
import type { Operation, Provided, Skill } from "../skill.ts";
import { pinFor } from "./permit.ts";
import { RESOLVER, type Runner } from "./runner.ts";

type AuthProvided = Extract<Provided, { kind: "auth" }>;

export interface SkillProviders {
  /** Skills that have cookies: another browser, an automation. */
  cookies(): Promise<CookieProvider[]>;
  /** Skills that have keys or tokens of the kind asked for. */
  suppliers(question: SupplyQuestion): Promise<Supplier[]>;
}

/** Every request asks; looking at every file of every skill each time would cost more than the request. */
const LISTED_MS = 2000;

/** Skills that supply logins, as the resolver asks them. */
export function createSkillProviders(parts: {
  readonly library: SkillLibrary;
  readonly runner: () => Pick<Runner, "supply">;
  readonly grants: () => Promise<Pick<Grants, "mightCover" | "covers">>;
  readonly clock: Clock;
}): SkillProviders {
  let known: { readonly at: number; readonly skills: ReturnType<SkillLibrary["providing"]> } | undefined;

  async function providing(auth: AuthProvided["auth"]): Promise<[Skill, AuthProvided][]> {
    const now = parts.clock.now();
    if (known === undefined || now - known.at > LISTED_MS)
      known = { at: now, skills: parts.library.providing() };
    const skills = await known.skills;
    return skills.flatMap((skill) =>
      skill.provides.flatMap((one): [Skill, AuthProvided][] =>
        one.kind === "auth" && one.auth === auth ? [[skill, one]] : [],
      ),
    );
  }

  /** Whoever supplies a login decides who we are there: only with the owner's word, for each domain. */
  const isAllowed = async (skill: Skill, name: string, domain: string) => {
    const grants = await parts.grants();
    const asked = { caller: RESOLVER, subject: skill.id, pin: pinFor(skill, RESOLVER), operation: name };
    const operation = skill.operations.get(name);
    if (operation?.executor.kind !== "command") return grants.mightCover({ ...asked, domain });
    // A program nobody has allowed is not asked, and that is no reason to refuse the call it was to be asked for.
    const [identity, needs] = [{ domain, account: null }, { binaries: [operation.executor.binary] }];
    return grants.covers({ ...asked, identity, effect: operation.effect, needs });
  };

  const ask = async (skill: Skill, { via, accountParam }: AuthProvided, given: Record<string, unknown>) => {
    const operation = skill.operations.get(via);
    if (operation === undefined) return undefined;
    const domain = String(given["domain"]);
    if (!(await isAllowed(skill, via, domain))) {
      throw new DeputyError("DENIED", `${skill.id} was not allowed to supply a login for ${domain}`, {
        hint: `Allow it: deputy grants add --skill ${shellWord(skill.id)} --identity ${shellWord(domain)}`,
      });
    }
    const named =
      accountParam === null ? given : { ...given, [accountParam]: given["account"] ?? given["domain"] };
    return parts.runner().supply(skill, operation, { domain, params: declared(operation, named) });
  };

  return {
    async cookies() {
      return (await providing("cookies")).map(([skill, provided]) => ({
        id: skill.id,
        live: false,
        // A skill cannot say cheaply whether anything has changed.
        stamp: async () => newId("ask"),
        cookies: async (domain: string) => ({
          cookies: readCookies(await ask(skill, provided, { domain }), domain, skill.id, parts.clock.now()),
          warnings: [],
        }),
      }));
    },
    async suppliers(question) {
      const { type, service, scopes, domain, account } = question;
      const fitting = (await providing(type)).filter(
        ([, one]) =>
          // A key's service is the domain it is for.
          (one.service === null || one.service === (service ?? domain)) &&
          (one.scopes.length === 0 || scopes.every((scope) => one.scopes.includes(scope))),
      );
      const allowed: typeof fitting = [];
      for (const one of fitting) if (await isAllowed(one[0], one[1].via, domain)) allowed.push(one);
      return allowed.map(([skill, provided]) => ({
        id: skill.id,
        supply: async () => readLogins(await ask(skill, provided, { domain, service, scopes, account })),
      }));
    },
  };
}

/** Only what the operation takes, and nothing that is not known. */
function declared({ params }: Operation, given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => params.has(name) && value !== undefined && value !== null,
    ),
  );
}

function readCookies(given: unknown, domain: string, skill: string, now: number): Cookie[] {
  const list = isObject(given) && Array.isArray(given["cookies"]) ? given["cookies"] : given;
  if (!Array.isArray(list)) return [];
  try {
    return (
      list
        .map((one) => parseCookie(inOurWords(one as Record<string, unknown>)))
        // From the future it would be the newest for ever.
        .map((cookie) => ({
          ...cookie,
          created: Math.min(cookie.created, now),
          updated: Math.min(cookie.updated, now),
        }))
        .filter((cookie) => cookie.domain === domain || cookie.domain.endsWith(`.${domain}`))
    );
  } catch (cause) {
    throw new DeputyError("SKILL_FAILED", `${skill} gave cookies that are none`, { cause });
  }
}

/** Browsers' own words: a dot in front of a domain, times in seconds. */
function inOurWords(given: Record<string, unknown>): Record<string, unknown> {
  const { name, value, domain = "", hostOnly, created, expires, ...rest } = given;
  const host = String(domain);
  const known = ["path", "secure", "httpOnly", "sameSite", "updated"];
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([key, one]) => known.includes(key) && one !== null)),
    name,
    value,
    domain: host.replace(/^\./, ""),
    hostOnly: hostOnly ?? !host.startsWith("."),
    ...(typeof created === "number" ? { created: inMs(created), updated: inMs(created) } : {}),
    ...(typeof expires === "number" && expires > 0 ? { expires: inMs(expires) } : {}),
  };
}

/** As seconds, this is the year 5138; as milliseconds, 1973. */
function inMs(time: number): number {
  return Math.round(time < 1e11 ? time * 1000 : time);
}

function readLogins(given: unknown): { identifier: string; value: Record<string, unknown> }[] {
  const list = Array.isArray(given) ? given : [given];
  return list.filter(isObject).flatMap((one) => {
    const value = isObject(one["value"]) ? one["value"] : one;
    const identifier = one["identifier"] ?? one["account"] ?? one["email"];
    const usable = ["key", "access_token", "refresh_token"].some((name) => typeof value[name] === "string");
    return usable ? [{ identifier: typeof identifier === "string" ? identifier : "default", value }] : [];
  });
}
