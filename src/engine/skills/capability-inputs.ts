import { z } from "zod";
import type { CapabilityMethods } from "./capability-methods.ts";

const name = z.string().max(2048);

export const capabilitySchemas: { [K in keyof CapabilityMethods]: z.ZodType<CapabilityMethods[K]["in"]> } = {
  "capabilities.list": z.strictObject({}),
  "capabilities.call": z.strictObject({
    tool: name,
    skill: name.exactOptional(),
    params: z.record(z.string(), z.unknown()),
    account: name.exactOptional(),
    provider: name.exactOptional(),
    connection: name.exactOptional(),
    detail: z.enum(["preview", "full"]),
    format: z.enum(["markdown", "json"]),
    with_data: z.boolean().exactOptional(),
    remember: z.boolean().exactOptional(),
  }),
};
