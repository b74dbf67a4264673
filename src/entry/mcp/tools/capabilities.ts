import { z } from "zod";
import type { CapabilityRow, Methods } from "../../../engine/index.ts";
import { defineTool, type Tool } from "../tool.ts";
import { oneLine } from "./describe-skill.ts";
import { viewOf, viewSchema } from "./run.ts";
import { runAnswer, runOutputOf } from "./run-answer.ts";

type Effect = CapabilityRow["providers"][number]["effect"];

/** What may be said beside the tool's own parameters. One of the tool's that is called so wins. */
const ways = {
  skill: z.string().exactOptional().describe("Only by this skill"),
  account: z.string().exactOptional().describe("Which account, where the user has several"),
  view: viewSchema.exactOptional(),
};

/** One tool for what several skills can do: Deputy chooses the skill. */
export function capabilityTool(row: CapabilityRow): Tool {
  const { tool, description, params, providers, returns_schema } = row;
  const own = Object.fromEntries(params.map((param) => [param.name, paramSchema(param)]));
  const effect = worst(providers.map((one) => one.effect));
  const by = [...new Set(providers.map(({ skill }) => skill))].join(", ");
  return defineTool({
    name: tool,
    title: tool.replaceAll("_", " "),
    description: `${oneLine(description) || tool.replaceAll("_", " ")} (by ${by})`,
    input: z.strictObject({ ...ways, ...own }),
    output: runOutputOf(returns_schema),
    effect,
    open: true,
    async call(given, ask) {
      const said = given as Record<string, unknown>;
      const chosen = Object.entries(said).filter(([name]) => name in own);
      const beside = Object.entries(said).filter(([name]) => !(name in own) && name !== "view");
      const view = "view" in own ? undefined : (said["view"] as Parameters<typeof viewOf>[0]);
      const input = {
        tool,
        params: Object.fromEntries(chosen),
        ...Object.fromEntries(beside),
        ...viewOf(view),
        with_data: true,
      } as Methods["capabilities.call"]["in"];
      const ran = await ask("capabilities.call", input, { repeatable: effect === "read" });
      return runAnswer(ran, returns_schema);
    },
  });
}

function worst(effects: readonly Effect[]): Effect {
  return (["destructive", "write"] as const).find((one) => effects.includes(one)) ?? "read";
}

function paramSchema(param: CapabilityRow["params"][number]): z.ZodType {
  const { description, required, enum: choices } = param;
  const facts = {
    ...(description === undefined ? {} : { description: oneLine(description) }),
    // Shown, not filled in: the skill does that, and a provider's own may differ.
    ...(param.default === undefined ? {} : { default: param.default }),
  };
  const base =
    choices === undefined || choices.length === 0 ? typeSchema(param.type) : z.literal([...choices]);
  const described = base.meta(facts);
  return required ? described : described.optional();
}

function typeSchema(type: string): z.ZodType {
  if (type.endsWith("[]")) return z.array(typeSchema(type.slice(0, -2)));
  switch (type) {
    case "integer":
      return z.int();
    case "number":
      return z.number();
    case "boolean":
      return z.boolean();
    case "array":
      return z.array(z.unknown());
    case "object":
      return z.record(z.string(), z.unknown());
    case "json":
      return z.unknown();
    default:
      return z.string();
  }
}
