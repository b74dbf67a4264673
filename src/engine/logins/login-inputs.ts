import { z } from "zod";
import type { LoginMethods } from "./login-methods.ts";

const name = z.string().max(2048);
const secret = z.string().min(1).max(65_536);

export const target = { target: name, connection: name.exactOptional(), account: name.exactOptional() };

export const loginSchemas: { [K in keyof LoginMethods]: z.ZodType<LoginMethods[K]["in"]> } = {
  "login.plan": z.strictObject(target),
  "login.key": z.strictObject({ ...target, values: z.record(z.string().max(64), secret) }),
  "login.oauth": z.strictObject({
    ...target,
    client: z.strictObject({ client_id: secret, client_secret: secret.exactOptional() }).exactOptional(),
    device: z.boolean().exactOptional(),
    open: z.boolean().exactOptional(),
  }),
  "login.paste": z.strictObject({ flow: name, address: z.string().max(65_536) }),
  "login.cookies": z.strictObject({
    ...target,
    wait_ms: z.number().int().min(0).max(3_600_000),
    window: z.boolean().exactOptional(),
    provider: name.exactOptional(),
  }),
};
