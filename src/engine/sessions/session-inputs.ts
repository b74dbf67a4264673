import { z } from "zod";
import { sessionActSchema } from "./session-act-inputs.ts";
import type { SessionMethods } from "./session-methods.ts";

const id = z.string().max(128);
const name = z.string().max(2048);
const own = z.string().regex(/^[\w.@-]{1,64}$/, "letters, digits and . _ - @, at most 64");
const url = z.string().max(65_536);
const none = z.strictObject({});

export const sessionSchemas: { [K in keyof SessionMethods]: z.ZodType<SessionMethods[K]["in"]> } = {
  "session.open": z.strictObject({
    identity: name.exactOptional(),
    profile: name.exactOptional(),
    saved: own.exactOptional(),
    blank: z.boolean().exactOptional(),
    name: own.exactOptional(),
    url: url.exactOptional(),
    allow: z.array(z.string().max(253)).min(1).max(256).exactOptional(),
    write_back: z.boolean().exactOptional(),
    deletions: z.boolean().exactOptional(),
    adopt: name.exactOptional(),
    expose: z.boolean().exactOptional(),
  }),
  "session.tab": z.strictObject({ session: id, url: url.exactOptional() }),
  "session.list": none,
  "session.dispose": z.strictObject({ session: id }),
  "session.endpoint": z.strictObject({ session: id }),
  "session.view": z.strictObject({ session: id, tab: id.exactOptional() }),
  "session.act": sessionActSchema,
  "session.save": z.strictObject({ session: id, name: own }),
  "session.saved": none,
  "session.forget": z.strictObject({ name: own }),
};
