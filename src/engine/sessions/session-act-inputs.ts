import { z } from "zod";
import type { SessionActInput, SessionAction } from "./session-act-methods.ts";

const id = z.string().max(128);
const element = z.string().min(1).max(4096);
const text = z.string().max(100_000);
const flag = z.boolean().exactOptional();
const pixels = z.number().min(-100_000).max(100_000).exactOptional();
const MOST_MS = 60_000;

const action: z.ZodType<SessionAction> = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("goto"), url: z.string().max(65_536) }),
  z.strictObject({ do: z.literal("back") }),
  z.strictObject({ do: z.literal("snapshot") }),
  z.strictObject({ do: z.literal("screenshot"), element: element.exactOptional(), full: flag }),
  z.strictObject({
    do: z.literal("click"),
    element,
    button: z.enum(["left", "middle", "right"]).exactOptional(),
    double: flag,
  }),
  z.strictObject({ do: z.literal("hover"), element }),
  z.strictObject({ do: z.literal("type"), element, text, enter: flag }),
  z.strictObject({ do: z.literal("fill"), element, text }),
  z.strictObject({
    do: z.literal("press"),
    key: z.string().min(1).max(64),
    element: element.exactOptional(),
  }),
  z.strictObject({
    do: z.literal("select"),
    element,
    options: z.array(z.string().max(4096)).min(1).max(256),
  }),
  z.strictObject({ do: z.literal("scroll"), element: element.exactOptional(), x: pixels, y: pixels }),
  z.strictObject({
    do: z.literal("evaluate"),
    script: z.string().max(1_000_000),
    element: element.exactOptional(),
  }),
  z.strictObject({
    do: z.literal("wait"),
    text: text.exactOptional(),
    text_gone: text.exactOptional(),
    element: element.exactOptional(),
    gone: element.exactOptional(),
    load: flag,
    ms: z.number().nonnegative().max(MOST_MS).exactOptional(),
  }),
]);

export const sessionActSchema: z.ZodType<SessionActInput> = z.strictObject({
  session: id,
  act: action,
  tab: id.exactOptional(),
  snapshot: flag,
  timeout_ms: z.number().nonnegative().max(MOST_MS).exactOptional(),
  accept_dialogs: flag,
});
