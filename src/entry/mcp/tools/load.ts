import { z } from "zod";
import type { SkillDetails } from "../../../engine/index.ts";
import { type Ask, defineTool } from "../tool.ts";
import { accountsOf } from "./accounts.ts";
import { skillManual } from "./describe-skill.ts";

export const loadTool = defineTool({
  name: "load",
  title: "A skill's manual",
  description:
    "Shows one skill's manual: what it does, its operations, their params, and which accounts it has.",
  input: z.strictObject({ skill: z.string().describe("The skill's id, as readme lists it") }),
  effect: "read",
  async call({ skill }, ask) {
    return { text: await manualOf(skill, ask) };
  },
});

export async function manualOf(skill: string, ask: Ask): Promise<string> {
  const details = await ask("skills.show", { skill }, { repeatable: true });
  return skillManual(details, await accountsFor(details, ask));
}

async function accountsFor({ connections }: SkillDetails, ask: Ask): Promise<string[]> {
  const domains = new Set(connections.filter(({ auth }) => auth !== "none").map(({ domain }) => domain));
  const all = await accountsOf(ask).catch(() => []);
  return all
    .filter(({ domain }) => domains.has(domain))
    .map(({ account, domain }) => `${account} (${domain})`);
}
