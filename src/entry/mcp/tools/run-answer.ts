import { z } from "zod";
import type { Methods } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import type { Answer, Ask } from "../tool.ts";

export type Ran = Methods["run"]["out"];

export const runOutput = z.object({
  data: z.unknown().describe("What the operation returned, as much as view.detail says"),
  meta: z
    .looseObject({
      skill: z.string(),
      operation: z.string(),
      account: z.string().nullable(),
      warnings: z.array(z.string()),
    })
    .describe("How it was done"),
});

export function runAnswer({ text, data = null, meta }: Ran): Answer {
  const warnings = meta.warnings.map((one) => `Note: ${one}`);
  return { text: [text, ...warnings].join("\n"), data: { data, meta } };
}

/** Whether an operation only reads, so that it may be run again where the engine stopped under it. */
export async function onlyReads(ask: Ask, skill: string, operation: string): Promise<boolean> {
  const { tools } = await ask("skills.show", { skill }, { repeatable: true });
  return tools.find(({ name }) => name === operation)?.effect === "read";
}

export function isEngineLost(error: unknown): boolean {
  return error instanceof DeputyError && error.code === "ENGINE_UNREACHABLE";
}
