import { z } from "zod";
import type { SkillTestMethods } from "./skill-test-methods.ts";

const name = z.string().min(1).max(2048);

export const skillTestSchemas: { [K in keyof SkillTestMethods]: z.ZodType<SkillTestMethods[K]["in"]> } = {
  "skills.test": z.strictObject({
    skill: name,
    operation: name.exactOptional(),
    mode: z.enum(["live", "record", "replay"]),
    write: z.boolean().exactOptional(),
    account: name.exactOptional(),
    cassette: z.string().min(1).max(4096).exactOptional(),
  }),
};
