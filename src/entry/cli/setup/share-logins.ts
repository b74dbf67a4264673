import type { FoundDomain, GrantRow } from "../../../engine/index.ts";
import { choose, chooseMany } from "../prompt.ts";
import type { Shell } from "../shell.ts";
import { plain } from "../table.ts";
import type { Choices } from "./choices.ts";
import { describePlan, planGrants, type PlannedGrant } from "./planned-grants.ts";

export interface Shared extends GrantRow {
  /** False: it was there before. */
  readonly made: boolean;
  /** The grants it took the place of. */
  readonly replaced: readonly string[];
}

interface Parts {
  readonly shell: Shell;
  readonly choices: Choices;
  readonly domains: readonly FoundDomain[];
  /** Those the command line names. */
  readonly named: readonly FoundDomain[];
  /** What is allowed already. */
  readonly grants: readonly GrantRow[];
  readonly tell: (words: string) => void;
  /** What was changed, for who stops halfway. */
  readonly note: (done: string) => void;
}

/** Nothing is shared but what the owner named, or chose from a list where nothing was chosen for them. */
export async function shareLogins(parts: Parts): Promise<Shared[]> {
  const { shell, choices, grants, tell, note } = parts;
  const domains = await whichDomains(parts);
  if (domains.length === 0) {
    if (choices.asks && parts.domains.length > 0) tell("Nothing is shared. To choose later: deputy setup");
    return [];
  }
  const asked = choices.asks && parts.named.length === 0;
  const access = choices.access ?? (asked ? await askAccess() : "read-only");
  const plan = planGrants(domains, { agent: choices.agent, readOnly: access === "read-only", grants });
  const missing = plan.filter(({ existing }) => existing === undefined);
  if (missing.length > 0) tell(describePlan(missing));
  if (missing.length > 0 && asked && !(await agrees())) {
    tell("Nothing was shared. To choose later: deputy setup");
    return [];
  }
  const shared: Shared[] = [];
  for (const one of plan) shared.push(await share(shell, one, note));
  tell([...shared.map(describe), "To take one back: deputy grants remove ID"].map(plain).join("\n"));
  return shared;
}

async function share(shell: Shell, one: PlannedGrant, note: Parts["note"]): Promise<Shared> {
  const { domain, skill, pin, agent, identity, readOnly, existing } = one;
  if (existing !== undefined) return { ...existing, made: false, replaced: [] };
  const { grant, replaced } = await shell.call("grants.add", {
    skill,
    identity,
    agent,
    read_only: readOnly,
    ...(pin === undefined ? {} : { pin }),
  });
  note(`${domain} is shared for ${skill} (${grant.id})`);
  return { ...grant, made: true, replaced };
}

function describe({ id, skill, identity, made, replaced }: Shared): string {
  const instead = replaced.length === 0 ? "" : `, in the place of ${replaced.join(", ")}`;
  return `${identity?.domain} is shared for ${skill}${made ? "" : " already"} (${id}${instead}).`;
}

async function whichDomains({ choices, domains, named, grants }: Parts): Promise<readonly FoundDomain[]> {
  if (named.length > 0 || choices.sharesNothing || !choices.asks || domains.length === 0) return named;
  const options = domains.map(({ domain, login, skills }) => {
    const isShared = grants.some(({ identity }) => identity?.domain === domain);
    const known = [
      ...(login ? ["logged in"] : []),
      ...skills.map(({ id }) => id),
      ...(isShared ? ["shared already"] : []),
    ];
    return { value: domain, label: plain(known.length === 0 ? domain : `${domain} (${known.join(", ")})`) };
  });
  const chosen = await chooseMany("Which of these may agents use? None is chosen; Enter goes on.", options);
  return domains.filter(({ domain }) => chosen.includes(domain));
}

function askAccess(): Promise<"read-only" | "everything"> {
  return choose("What may they do there?", [
    { value: "read-only", label: "Read only", hint: "nothing that changes anything" },
    { value: "everything", label: "Everything", hint: "all that the skills, or you yourself, can do there" },
  ]);
}

async function agrees(): Promise<boolean> {
  const answer = await choose("Make these grants?", [
    { value: "no", label: "No" },
    { value: "yes", label: "Yes", hint: "until you take them back: deputy grants list" },
  ]);
  return answer === "yes";
}
