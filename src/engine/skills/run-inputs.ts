import { z } from "zod";
import type { RunMethods } from "./run-methods.ts";

const name = z.string().max(2048);

/** How an operation is run, whoever chose it. */
export const runFields = {
  params: z.record(z.string(), z.unknown()),
  account: name.exactOptional(),
  provider: name.exactOptional(),
  connection: name.exactOptional(),
  detail: z.enum(["preview", "full"]),
  format: z.enum(["markdown", "json"]),
  with_data: z.boolean().exactOptional(),
  remember: z.boolean().exactOptional(),
};

export const runSchemas: { [K in keyof RunMethods]: z.ZodType<RunMethods[K]["in"]> } = {
  run: z.strictObject({
    skill: name,
    operation: name,
    ...runFields,
  }),
  "skills.clear": z.strictObject({
    skill: name,
    cache: z.boolean().exactOptional(),
    data: z.boolean().exactOptional(),
  }),
};
