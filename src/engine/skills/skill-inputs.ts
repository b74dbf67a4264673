import { z } from "zod";
import type { SkillMethods } from "./skill-methods.ts";

const id = z.string().min(1).max(4096);
const path = z.string().min(1).max(4096);

export const skillSchemas: { [K in keyof SkillMethods]: z.ZodType<SkillMethods[K]["in"]> } = {
  "skills.list": z.strictObject({}),
  "skills.follow": z.strictObject({}),
  "skills.show": z.strictObject({ skill: id }),
  "skills.validate": z.strictObject({
    targets: z
      .array(z.strictObject({ name: id, path }))
      .max(200)
      .exactOptional(),
  }),
  "skills.new": z.strictObject({
    name: id,
    folder: path.exactOptional(),
    local: z.boolean().exactOptional(),
  }),
  "skills.add": z.strictObject({ path, dev: z.boolean().exactOptional() }),
  "skills.remove": z.strictObject({ skill: id }),
};
