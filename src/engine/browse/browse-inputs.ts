import { z } from "zod";
import type { BrowseMethods } from "./browse-methods.ts";
import { target } from "../logins/login-inputs.ts";

const asked = { ...target, provider: z.string().max(2048).exactOptional() };

export const browseSchemas: { [K in keyof BrowseMethods]: z.ZodType<BrowseMethods[K]["in"]> } = {
  "browse.auth": z.strictObject(asked),
  "browse.cookies": z.strictObject(asked),
  "browse.request": z.strictObject({
    ...asked,
    url: z.string().max(65_536),
    method: z.string().regex(/^[A-Z]{1,20}$/),
    headers: z.array(z.tuple([z.string().max(256), z.string().max(65_536)])).max(256),
    body: z.base64().exactOptional(),
  }),
};
