import { z } from "zod";
import type { CaptureMethods } from "./capture-methods.ts";

export const captureSchemas: { [K in keyof CaptureMethods]: z.ZodType<CaptureMethods[K]["in"]> } = {
  "browse.capture": z.strictObject({
    url: z.string().max(65_536),
    session: z.string().max(128).exactOptional(),
    cdp: z.string().max(2048).exactOptional(),
    pattern: z.string().max(2048).exactOptional(),
    wait_ms: z.number().nonnegative().max(120_000).exactOptional(),
    reveal: z.boolean().exactOptional(),
    click: z.string().max(4096).exactOptional(),
    evaluate: z.string().max(1_000_000).exactOptional(),
    intercept_navigation: z.boolean().exactOptional(),
  }),
};
