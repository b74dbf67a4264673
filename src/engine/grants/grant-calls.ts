import {
  BUILT_INS,
  coversCaller,
  type Grant,
  type GrantIdentity,
  type Grants,
  isAgentName,
  isBuiltIn,
  type NewGrant,
  oneName,
  parseAllowance,
  parseExpiry,
  type Pin,
  samePin,
} from "../../access/index.ts";
import { type Clock, DeputyError } from "../../kernel/index.ts";
import { loginHosts, type Provided, type Skill, type SkillLibrary } from "../../skills/index.ts";
import { foldDomain, rowKey } from "../../vault/index.ts";
import type { Calls, GrantRow, Methods } from "../methods.ts";

interface Parts {
  readonly grants: () => Promise<Grants>;
  readonly library: Pick<SkillLibrary, "find">;
  readonly clock: Clock;
}

type Wanted = Methods["grants.add"]["in"];

export function createGrantCalls(parts: Parts): Calls<"grants.list" | "grants.add" | "grants.remove"> {
  const { clock } = parts;

  async function asListed(grant: Grant): Promise<GrantRow> {
    const subject = await subjectOf(grant.subject, parts.library);
    return asRow(grant, subject?.skill, statusOf(grant, subject?.pin, clock.now()));
  }

  return {
    "grants.list": async (_input, { caller }) => {
      const all = (await parts.grants()).list();
      const shown = caller.kind === "owner" ? all : all.filter((grant) => coversCaller(grant, caller));
      return Promise.all(shown.map(asListed));
    },

    "grants.add": async (input) => {
      const subject = await subjectOf(input.skill, parts.library);
      if (subject === undefined) throw noSuchSubject(input.skill);
      const { pin, skill } = subject;
      if (input.pin !== undefined && !samePin(input.pin, pin)) {
        throw new DeputyError("CONFLICT", `The code of ${input.skill} has changed since you were asked`, {
          hint: "Nothing was allowed. Run it again to be asked about the code as it is now.",
        });
      }
      const wanted = newGrant(input, pin, clock.now());
      if (skill !== undefined) requireSense(wanted, skill);
      const { grant, replaced } = (await parts.grants()).add(wanted);
      return { grant: asRow(grant, skill, "active"), replaced: replaced.map(({ id }) => id) };
    },

    "grants.remove": async (input) => {
      const removed = (await parts.grants()).remove(input.id);
      if (removed !== undefined) return { removed: await asListed(removed) };
      throw new DeputyError("NOT_FOUND", "There is no grant of that id", {
        hint: "See what there is: deputy grants list",
      });
    },
  };
}

/** Which code of that id would run now; a built-in has no skill. */
async function subjectOf(
  id: string,
  library: Parts["library"],
): Promise<{ pin: Pin; skill?: Skill } | undefined> {
  if (isBuiltIn(id)) return { pin: null };
  const skill = await library.find(id);
  return skill && { pin: skill.dev ? { path: skill.folder } : skill.pin, skill };
}

/** A slip of the finger is said now: a grant that can cover nothing looks like one that does. */
function requireSense({ identity, operations }: NewGrant, skill: Skill): void {
  const unknown = operations?.find((name) => !skill.operations.has(name));
  if (unknown !== undefined) {
    const names = [...skill.operations.keys()].join(", ");
    throw refused(`${skill.id} has no operation ${unknown}`, `It has ${names === "" ? "none" : names}.`);
  }
  if (identity === null) return;
  const domains = new Set([...skill.connections.values()].map(({ domain }) => domain));
  for (const provided of skill.provides) {
    if (provided.kind !== "auth") continue;
    const only = suppliedDomain(provided);
    if (only === undefined) return;
    domains.add(only);
  }
  if (domains.has(identity.domain)) return;
  throw refused(
    `${skill.id} has no connection to ${identity.domain}`,
    domains.size === 0 ? "It reaches no service." : `It reaches ${[...domains].join(", ")}.`,
  );
}

/**
 * The one domain logins are supplied for, where there is only one. A service such as `google` has logins for many, and
 * cookies are supplied for every domain the owner allows.
 */
function suppliedDomain({ auth, service }: Extract<Provided, { kind: "auth" }>): string | undefined {
  const isDomain = service !== null && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(service);
  return isDomain && auth !== "cookies" ? foldDomain(service) : undefined;
}

function newGrant(input: Wanted, pin: Pin, now: number): NewGrant {
  const agent = parseAgent(input.agent);
  const subject = input.skill;
  const identity = parseIdentity(input);
  const allow = [...new Set((input.allow ?? []).map(parseAllowance))];
  const expose = input.expose ?? false;
  const operations = input.operations ?? null;
  if (pin === null && agent === "owner") {
    throw refused(`the owner needs none for ${subject}`, "Name who it is for: --agent claude-code");
  }
  if (pin !== null && identity === null && allow.length === 0) {
    throw refused("it names no login", "Say which: --identity exa.ai, or --identity exa.ai/joe@example.com");
  }
  if (typeof pin === "object" && pin !== null && agent !== "owner") {
    throw refused(
      `${subject} is under development, and runs for the owner only`,
      `Add it for good first: deputy skills add, without --dev.`,
    );
  }
  if (identity !== null && allow.includes("hosts:any")) {
    throw refused("with a login a skill may not reach any host", "Leave out --identity or hosts:any.");
  }
  const expires = input.expires === undefined ? null : parseExpiry(input.expires, now);
  return {
    agent,
    subject,
    pin,
    identity,
    operations,
    readOnly: input.read_only ?? false,
    expires,
    expose,
    allow,
  };
}

/** Not tidied up: a name could become another's, or * itself. */
function parseAgent(agent = "owner"): string {
  if (agent === "owner" || agent === "*" || isAgentName(agent)) return oneName(agent);
  throw new DeputyError("BAD_INPUT", "Cannot use that as an agent's name", {
    hint: "Give its name, or * for whoever asks.",
  });
}

/** `DOMAIN` or `DOMAIN/ACCOUNT`. A whole URL stands for its domain: its path is no account. */
function parseIdentity(input: Wanted): GrantIdentity | null {
  const { identity: given, every_account: every = false } = input;
  if (given === undefined) {
    if (!every) return null;
    throw refused("it names no login", "Say where: --identity exa.ai --every-account");
  }
  const slash = given.includes("://") ? -1 : given.indexOf("/");
  if (slash === -1) return { domain: foldDomain(given), account: null, pending: !every };
  if (every) throw refused("it names one account and every account", "Leave out one of the two.");
  const key = rowKey(given.slice(0, slash), given.slice(slash + 1), "any");
  return { domain: key.domain, account: key.identifier, pending: false };
}

function statusOf(grant: Grant, pin: Pin | undefined, now: number): GrantRow["status"] {
  if (grant.expires !== null && grant.expires <= now) return "expired";
  if (pin === undefined) return "skill-missing";
  return samePin(grant.pin, pin) ? "active" : "code-changed";
}

function asRow(grant: Grant, skill: Skill | undefined, status: GrantRow["status"]): GrantRow {
  return {
    id: grant.id,
    agent: grant.agent,
    skill: grant.subject,
    pin: grant.pin,
    identity: grant.identity,
    operations: grant.operations,
    read_only: grant.readOnly,
    expires: grant.expires === null ? null : new Date(grant.expires).toISOString(),
    expose: grant.expose,
    allow: grant.allow,
    hosts: hostsOf(grant, skill),
    created_at: new Date(grant.createdAt).toISOString(),
    status,
  };
}

/** As the code stands now. A built-in sends a login within its domain only. */
function hostsOf({ identity, subject }: Grant, skill: Skill | undefined): string[] {
  if (identity === null) return [];
  if (isBuiltIn(subject)) return [`*.${identity.domain}`];
  return skill === undefined ? [] : loginHosts(skill, identity.domain);
}

function refused(why: string, hint: string): DeputyError {
  return new DeputyError("BAD_INPUT", `Cannot make that grant: ${why}`, { hint });
}

function noSuchSubject(subject: string): DeputyError {
  const what = subject.startsWith("@") ? "built-in" : "skill";
  const hint =
    what === "skill" ? "See what there is: deputy skills list" : `The built-ins are ${BUILT_INS.join(", ")}.`;
  return new DeputyError("NOT_FOUND", `There is no ${what} of that id`, { hint });
}
