import { z } from "zod";
import type { LogMethods } from "./log-methods.ts";

const asked = z.strictObject({
  agent: z.string().max(128).exactOptional(),
  skill: z.string().max(128).exactOptional(),
  limit: z.int().min(0).max(100_000),
});

export const logSchemas: { [K in keyof LogMethods]: z.ZodType<LogMethods[K]["in"]> } = {
  "log.read": asked,
  "log.follow": asked,
  "log.restart": z.strictObject({}),
  "agents.list": z.strictObject({}),
};
