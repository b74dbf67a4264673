import type { FoundDomain, GrantRow } from "../../../engine/index.ts";
import { shellWord } from "../../../kernel/index.ts";
import type { ClientOutcome } from "./add-clients.ts";

/** Something to try: a command as it stands, or a sentence for an agent. */
export interface NextStep {
  readonly why: string;
  readonly command?: string;
  readonly say?: string;
}

interface Parts {
  readonly domains: readonly FoundDomain[];
  /** What may be used now. */
  readonly grants: readonly GrantRow[];
  readonly clients: readonly ClientOutcome[];
}

/** Three things that work now, with what was found and shared. */
export function nextSteps({ domains, grants, clients }: Parts): NextStep[] {
  return [
    { why: "a skill that needs no login", command: "deputy run hackernews list_stories -p limit=5" },
    withLogin(domains, grants),
    forAgents(domains, grants, clients),
  ];
}

export function describeNext(steps: readonly NextStep[]): string {
  const lines = steps.flatMap(({ why, command, say }) => [`  ${command ?? `“${say}”`}`, `      ${why}`]);
  return ["Three things to try:", ...lines].join("\n");
}

function withLogin(domains: readonly FoundDomain[], grants: readonly GrantRow[]): NextStep {
  const ready = readySkill(domains, grants, "owner");
  if (ready !== undefined) {
    const { domain, id, operation } = ready;
    return { why: `as you at ${domain}, which you shared`, command: `deputy run ${id} ${operation}` };
  }
  const built = grants.find(({ skill }) => skill === "@curl");
  if (built?.identity) return asYou(built.identity.domain);
  const [likely] = domains.filter(({ login }) => login);
  if (likely?.skills.length === 0) return asYou(likely.domain);
  if (likely !== undefined) return whichLogin(likely.domain);
  return { why: "what Deputy does, shown on a site of its own, without accounts", command: "deputy demo" };
}

/** The owner needs no grant for it. Of a site on this machine nobody knows the port. */
function asYou(domain: string): NextStep {
  if (!/\.[a-z]/i.test(domain)) return whichLogin(domain);
  return { why: `a page of ${domain}, as you`, command: `deputy curl https://${domain}/` };
}

function whichLogin(domain: string): NextStep {
  return {
    why: `which login Deputy would use at ${domain}, and why`,
    command: `deputy browse auth ${shellWord(domain)}`,
  };
}

function forAgents(
  domains: readonly FoundDomain[],
  grants: readonly GrantRow[],
  clients: readonly ClientOutcome[],
): NextStep {
  const client = clients.find(({ present }) => present);
  if (client !== undefined) {
    const ready = readySkill(domains, grants, client.client);
    const say =
      ready === undefined
        ? "Use Deputy to show me the top stories of Hacker News."
        : `Use Deputy's skill ${ready.id} to run ${ready.operation}.`;
    return { why: `said to ${client.title}`, say };
  }
  const found = clients.find(({ found: isHere, edited, error }) => isHere && edited && error === null);
  if (found !== undefined)
    return { why: `adds Deputy to ${found.title}`, command: `deputy mcp install ${found.client}` };
  return { why: "what an agent is told about Deputy, over MCP", command: "deputy mcp call readme" };
}

/** One that a grant lets this very caller use. */
function readySkill(domains: readonly FoundDomain[], grants: readonly GrantRow[], who: string) {
  const theirs = grants.filter(({ agent }) => agent === "*" || agent === who);
  for (const { domain, skills } of domains) {
    for (const { id, operation } of skills) {
      if (operation !== null && theirs.some((one) => one.skill === id && one.identity?.domain === domain))
        return { domain, id, operation };
    }
  }
  return undefined;
}
