import { z } from "zod";
import type { DeliverMethods } from "./deliver-methods.ts";

const name = z.string().max(2048);
const deliver = z.strictObject({
  surface: z.enum(["chromium", "sidecar", "files", "live"]).exactOptional(),
  profile: z.string().min(1).max(4096).exactOptional(),
  endpoint: name.exactOptional(),
  domains: z.array(name).max(1000).exactOptional(),
  account: name.exactOptional(),
  device_bound: z.boolean().exactOptional(),
  restart_browser: z.boolean().exactOptional(),
});

export const deliverSchemas: { [K in keyof DeliverMethods]: z.ZodType<DeliverMethods[K]["in"]> } = {
  deliver,
  "deliver.watch": deliver,
  "policy.show": z.strictObject({}),
  "policy.set": z.strictObject({
    list: z.enum(["allow", "block"]),
    pattern: name,
    only: z.boolean().exactOptional(),
  }),
};
