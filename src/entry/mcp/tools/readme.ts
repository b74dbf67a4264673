import { z } from "zod";
import type { CapabilityRow, SkillRow } from "../../../engine/index.ts";
import { type Ask, defineTool } from "../tool.ts";
import { accountsOf } from "./accounts.ts";
import { oneLine, skillLine } from "./describe-skill.ts";

const MOST_KINDS = 8;
/** By which the graph describes itself. */
const OWN_KINDS: readonly string[] = ["shape", "agent", "skill", "account", "change"];

export const readmeTool = defineTool({
  name: "readme",
  title: "Start here",
  description:
    "What Deputy can do for you right now: skills that are ready, accounts, and how to call them. Call this first.",
  input: z.strictObject({}),
  effect: "read",
  async call(_input, ask) {
    const [skills, capabilities, accounts] = await Promise.all([
      ask("skills.list", {}, { repeatable: true }),
      ask("capabilities.list", {}, { repeatable: true }).catch(() => []),
      accountsOf(ask).catch(() => undefined),
    ]);
    const ready = skills.filter(({ status }) => status === "ready");
    const waiting = skills.filter(({ status }) => status === "needs-login");
    const broken = skills.filter(({ status }) => status === "broken");
    const text = [
      "# Deputy",
      "Deputy lets you act as the user at their services. The user's logins stay inside Deputy: you never see, need or ask for a password, key or cookie.",
      "",
      "## What is here now",
      `${skills.length} skills: ${ready.length} ready, ${waiting.length} need a login, ${broken.length} broken. ${counted(accounts)}${await remembered(ask)}`,
      ...section("Ready", ready.map(skillLine)),
      ...section("Need a login first", waiting.map(skillLine)),
      ...section("Tools you can call by their own name", capabilities.map(capabilityLine)),
      ...section(
        "Accounts",
        (accounts ?? []).map(({ account, domain }) => `- ${account} (${domain})`),
      ),
      "",
      "## How it works",
      "- A skill is one service. It has operations. load shows a skill's operations, run runs one.",
      "- What runs return is remembered. search, list and get find it again without asking the service.",
      "- If you leave out account, Deputy takes the only one, or asks you to choose.",
      "- If an answer says that the user must log in or allow something, show them the command it names, wait, then call again.",
      "- Nothing found means nothing found, not that it does not exist.",
      "",
      "## Examples",
      ...examples(ready, capabilities).map((one, at) => `${at + 1}. ${one}`),
    ].join("\n");
    return { text };
  },
});

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines];
}

function counted(accounts: readonly unknown[] | undefined): string {
  if (accounts === undefined) return "The vault cannot be read just now; status says why.";
  return `${accounts.length} account${accounts.length === 1 ? "" : "s"}.`;
}

/** How much is known of what, the most first. */
async function remembered(ask: Ask): Promise<string> {
  const counts = await ask("graph.counts", {}, { repeatable: true }).catch(() => ({}));
  const kinds = Object.entries<number>(counts)
    .filter(([kind]) => !OWN_KINDS.includes(kind))
    .toSorted(([, a], [, b]) => b - a);
  const total = kinds.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return " Nothing is remembered yet.";
  const shown = kinds.slice(0, MOST_KINDS).map(([kind, count]) => `${count} ${kind}`);
  return ` ${total} things remembered: ${shown.join(", ")}${kinds.length > MOST_KINDS ? ", …" : ""}.`;
}

function capabilityLine({ tool, description, providers }: CapabilityRow): string {
  const by = [...new Set(providers.map(({ skill }) => skill))].join(", ");
  return `- ${tool} (by ${by})${description === "" ? "" : `: ${oneLine(description)}`}`;
}

/** With the names of what is really here, where something is. */
function examples(ready: readonly SkillRow[], capabilities: readonly CapabilityRow[]): string[] {
  const skill = ready[0]?.id ?? "exa";
  const operation = ready[0]?.operations[0] ?? "search";
  const run = (more: object) => `run(${JSON.stringify({ skill, tool: operation, params: {}, ...more })})`;
  return [
    `What can ${skill} do? load(${JSON.stringify({ skill })})`,
    `Do it: ${run({})} with the params its manual names`,
    `All fields, as JSON: ${run({ view: { detail: "full", format: "json" } })}`,
    capabilities[0] === undefined
      ? 'As another account: accounts({}), then run with "account": "its name"'
      : `Without choosing a skill: ${capabilities[0].tool}(${JSON.stringify(sample(capabilities[0]))})`,
    'Something seen before: search({"query": "invoice"})',
  ];
}

function sample({ params }: CapabilityRow): Record<string, unknown> {
  return Object.fromEntries(params.filter(({ required }) => required).map(({ name }) => [name, "…"]));
}
