import { z } from "zod";
import type { Methods, ResultSchema } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { fitSchema } from "../fit-schema.ts";
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

/** The same for a tool of which it is known what it returns. */
export function runOutputOf(schema: ResultSchema | null): typeof runOutput {
  if (schema === null) return runOutput;
  return runOutput.extend({ data: z.unknown().meta({ anyOf: [schema, { type: "null" }] }) });
}

/** Of what a tool said it returns, the data has only what fits; the text has all of it. */
export function runAnswer({ text, data = null, meta }: Ran, schema: ResultSchema | null = null): Answer {
  const fitted = schema === null || data === null ? { value: data, left: [] } : fitSchema(data, schema);
  const unfit =
    fitted.left.length === 0 ? [] : [`Not as declared, so in the text only: ${fitted.left.join(", ")}`];
  const warnings = [...meta.warnings, ...unfit];
  return {
    text: [text, ...warnings.map((one) => `Note: ${one}`)].join("\n"),
    data: { data: fitted.value ?? null, meta: { ...meta, warnings } },
  };
}

/** Whether an operation only reads, so that it may be run again where the engine stopped under it. */
export async function onlyReads(ask: Ask, skill: string, operation: string): Promise<boolean> {
  const { tools } = await ask("skills.show", { skill }, { repeatable: true });
  return tools.find(({ name }) => name === operation)?.effect === "read";
}

export function isEngineLost(error: unknown): boolean {
  return error instanceof DeputyError && error.code === "ENGINE_UNREACHABLE";
}
