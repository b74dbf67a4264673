import { z } from "zod";
import type { SkillDetails } from "../../../engine/index.ts";
import { type Ask, defineTool } from "../tool.ts";
import { accountsOf } from "./accounts.ts";
import { callable, skillManual } from "./describe-skill.ts";

const operation = z.object({
  name: z.string(),
  description: z.string(),
  effect: z.enum(["read", "write", "destructive"]),
  params: z.array(z.looseObject({ name: z.string(), type: z.string(), required: z.boolean() })),
  returns: z.looseObject({}).nullable().describe("A JSON Schema of what it returns; null: it does not say"),
});

export const loadTool = defineTool({
  name: "load",
  title: "A skill's manual",
  description:
    "Shows one skill's manual: what it does, its operations, their params, and which accounts it has.",
  input: z.strictObject({ skill: z.string().describe("The skill's id, as readme lists it") }),
  output: z.object({
    skill: z.string(),
    status: z.enum(["ready", "needs-login", "broken"]),
    accounts: z.array(z.string()),
    operations: z.array(operation),
  }),
  effect: "read",
  async call({ skill }, ask) {
    const { text, details, accounts } = await manualOf(skill, ask);
    const operations = callable(details).map(
      ({ name, description, effect, params, returns_schema: returns }) => ({
        name,
        description,
        effect,
        params,
        returns,
      }),
    );
    return { text, data: { skill: details.id, status: details.status, accounts, operations } };
  },
});

export async function manualOf(
  skill: string,
  ask: Ask,
): Promise<{ text: string; details: SkillDetails; accounts: readonly string[] }> {
  const details = await ask("skills.show", { skill }, { repeatable: true });
  const accounts = await accountsFor(details, ask);
  return { text: skillManual(details, accounts), details, accounts };
}

async function accountsFor({ connections }: SkillDetails, ask: Ask): Promise<string[]> {
  const domains = new Set(connections.filter(({ auth }) => auth !== "none").map(({ domain }) => domain));
  const all = await accountsOf(ask).catch(() => []);
  return all
    .filter(({ domain }) => domains.has(domain))
    .map(({ account, domain }) => `${account} (${domain})`);
}
