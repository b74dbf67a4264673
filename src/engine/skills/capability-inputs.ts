import { z } from "zod";
import type { CapabilityMethods } from "./capability-methods.ts";
import { runFields } from "./run-inputs.ts";

const name = z.string().max(2048);

export const capabilitySchemas: { [K in keyof CapabilityMethods]: z.ZodType<CapabilityMethods[K]["in"]> } = {
  "capabilities.list": z.strictObject({}),
  "capabilities.call": z.strictObject({
    tool: name,
    skill: name.exactOptional(),
    ...runFields,
  }),
};
