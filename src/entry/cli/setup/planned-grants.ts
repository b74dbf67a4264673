import type { FoundDomain, GrantRow } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { table } from "../table.ts";

export interface PlannedGrant {
  readonly domain: string;
  readonly skill: string;
  /** The code the owner is shown; undefined for a built-in. */
  readonly pin: string | undefined;
  readonly agent: string;
  readonly readOnly: boolean;
  /** What may be done with it, in words. */
  readonly may: string;
  readonly hosts: readonly string[];
  /** The domain, or the account that a grant which is widened had found. */
  readonly identity: string;
  /** The grant that allows as much already. */
  readonly existing: GrantRow | undefined;
}

interface Sharing {
  readonly agent: string;
  readonly readOnly: boolean;
  /** What is allowed already, and still counts. */
  readonly grants: readonly GrantRow[];
}

/**
 * The domain of the browsers that was meant. One that is in none is refused, before anything is changed: a grant for a
 * misspelt domain would lie in wait for whoever gets a login there.
 */
export function findDomain(given: string, domains: readonly FoundDomain[]): FoundDomain {
  const address = given.includes("://") ? given : `https://${given.replace(/^\.+/, "")}`;
  const host = URL.canParse(address) ? new URL(address).hostname.replace(/^\[|\]$/g, "") : given;
  const found = domains.find(({ domain }) => host === domain || host.endsWith(`.${domain}`));
  if (found !== undefined) return found;
  const likely = domains.filter(({ login }) => login).slice(0, 5);
  const there = likely.length === 0 ? "" : ` There are: ${likely.map(({ domain }) => domain).join(", ")}.`;
  throw new DeputyError("NOT_FOUND", `No browser here has a login at ${given}`, {
    hint: `Nothing was changed. Log in there with your browser first, or: deputy login DOMAIN.${there}`,
  });
}

/** Which grants it takes to share the domains: for what comes with Deputy and uses the login, else for the built-ins. */
export function planGrants(domains: readonly FoundDomain[], sharing: Sharing): PlannedGrant[] {
  return domains.flatMap((found) => {
    const uses =
      found.skills.length > 0 ? skillUses(found, sharing.readOnly) : builtInUses(found, sharing.readOnly);
    return uses.map((use) => planned(found.domain, use, sharing));
  });
}

type Use = Pick<PlannedGrant, "skill" | "pin" | "may" | "hosts">;

function skillUses({ skills }: FoundDomain, readOnly: boolean): Use[] {
  return skills.map(({ id, pin, hosts }) => {
    return { skill: id, pin, hosts, may: readOnly ? "read" : "read and change" };
  });
}

/** Never `@cookies`, which hands out the values. A browser session can always change something, so it is not for reading. */
function builtInUses({ domain }: FoundDomain, readOnly: boolean): Use[] {
  const common = { pin: undefined, hosts: [`*.${domain}`] };
  if (readOnly) return [{ ...common, skill: "@curl", may: "GET and HEAD requests" }];
  return [
    { ...common, skill: "@curl", may: "any request" },
    { ...common, skill: "@session", may: "a browser that is you" },
  ];
}

function planned(domain: string, use: Use, { agent, readOnly, grants }: Sharing): PlannedGrant {
  const same = grants.filter(
    (grant) => grant.skill === use.skill && grant.identity?.domain === domain && grant.operations === null,
  );
  const existing = same.find(
    (grant) => (grant.agent === agent || grant.agent === "*") && (readOnly || !grant.read_only),
  );
  // Given for the same account, it takes the narrower one's place instead of letting in a second account.
  const account = same.find((grant) => grant.agent === agent)?.identity?.account ?? null;
  const identity = account === null ? domain : `${domain}/${account}`;
  return { ...use, domain, agent, readOnly, identity, existing };
}

export function describePlan(plan: readonly PlannedGrant[]): string {
  const rows = plan.map(({ domain, skill, agent, may, hosts }) => {
    return [domain, skill, whoIs(agent), may, hosts.join(", ")];
  });
  return [
    "Sharing makes these grants, each for the first account it is used with:",
    "",
    table(["DOMAIN", "SKILL", "WHO", "MAY", "LOGIN CAN GO TO"], rows),
  ].join("\n");
}

export function whoIs(agent: string): string {
  return agent === "*" ? "whoever asks" : agent;
}
