import { z } from "zod";
import type { SessionAction } from "../../../engine/index.ts";
import { BadArguments, defineTool } from "../tool.ts";
import { given } from "./given.ts";

const ACTIONS = [
  "goto",
  "back",
  "snapshot",
  "screenshot",
  "click",
  "hover",
  "type",
  "fill",
  "press",
  "select",
  "scroll",
  "evaluate",
  "wait",
] as const;

const input = z.strictObject({
  session: z.string().describe("The session's id, from session_open"),
  action: z.enum(ACTIONS),
  element: z.string().optional().describe("A reference from a snapshot, such as e12, or a CSS selector"),
  url: z.string().optional().describe("goto: where to"),
  text: z.string().optional().describe("type, fill: what to write. wait: until this text is there"),
  enter: z.boolean().optional().describe("type: then press Enter"),
  key: z.string().optional().describe("press: Enter, ArrowDown, Control+A"),
  options: z.array(z.string()).min(1).optional().describe("select: values or labels"),
  script: z
    .string()
    .optional()
    .describe("evaluate: JavaScript, or with an element a function of it: (el) => el.value"),
  gone: z.string().optional().describe("wait: until this element is gone"),
  text_gone: z.string().optional().describe("wait: until this text is gone"),
  ms: z.number().max(60_000).optional().describe("wait: milliseconds"),
  y: z.number().optional().describe("scroll: pixels down, negative for up"),
  full: z.boolean().optional().describe("screenshot: the whole page"),
  double: z.boolean().optional().describe("click: twice"),
  snapshot: z.boolean().optional().describe("true: answer with the page as it is afterwards"),
  accept_dialogs: z
    .boolean()
    .optional()
    .describe("true: confirm the page's dialogs instead of cancelling them"),
  timeout_ms: z.number().max(60_000).optional().describe("How long to wait for an element; default 10000"),
  tab: z.string().optional().describe("Which tab; default: the one used last, or one the page opened since"),
});

export const sessionAct = defineTool({
  name: "session_act",
  title: "Use a browser tab",
  description:
    "Does one thing in a tab of your session: goto, snapshot (the page as text, with references such as e12 for the other actions), click, type, fill, press, select, scroll, wait, evaluate, screenshot. Start with goto and snapshot: true.",
  input,
  output: z.object({
    tab: z.string(),
    url: z.string(),
    title: z.string(),
    did: z.string(),
    value: z.unknown().optional(),
    snapshot: z.string().optional(),
    dialogs: z.array(z.string()),
    opened: z.array(z.object({ id: z.string(), url: z.string(), title: z.string() })),
  }),
  effect: "write",
  open: true,
  async call(asked, ask) {
    const { session, tab, snapshot, accept_dialogs, timeout_ms } = asked;
    const { png, ...acted } = await ask("session.act", {
      session,
      act: actionOf(asked),
      ...given({ tab, snapshot, accept_dialogs, timeout_ms }),
    });
    const lines = [
      `${acted.did}. ${acted.title === "" ? "" : `${acted.title}, `}${acted.url}`,
      ...acted.dialogs.map((said) => `The page asked: ${said}`),
      ...acted.opened.map(({ id, url, title }) => `Opened: ${title || "a tab"} (${id}) at ${url}`),
      ...(acted.value === undefined ? [] : [JSON.stringify(acted.value)]),
      ...(acted.snapshot === undefined ? [] : [acted.snapshot]),
    ];
    return { text: lines.join("\n"), data: { ...acted }, ...given({ png }) };
  },
});

/** The fields each action takes: others are mistakes, and told. */
const FIELDS: Readonly<Record<(typeof ACTIONS)[number], readonly string[]>> = {
  goto: ["url"],
  back: [],
  snapshot: [],
  screenshot: ["element", "full"],
  click: ["element", "double"],
  hover: ["element"],
  type: ["element", "text", "enter"],
  fill: ["element", "text"],
  press: ["key", "element"],
  select: ["element", "options"],
  scroll: ["element", "y"],
  evaluate: ["script", "element"],
  wait: ["text", "text_gone", "element", "gone", "ms"],
};
const OPTIONAL = new Set(["screenshot", "scroll", "wait"]);
const OPTIONAL_FIELDS = new Set(["enter", "double"]);

function actionOf(asked: z.output<typeof input>): SessionAction {
  const { action, session: _s, tab: _t, snapshot: _n, accept_dialogs: _a, timeout_ms: _m, ...rest } = asked;
  const fields = FIELDS[action];
  const chosen = given(rest);
  const wrong = Object.keys(chosen).filter((field) => !fields.includes(field));
  if (wrong.length > 0) throw new BadArguments([`${action} takes no ${wrong.join(", ")}`]);
  const needed = fields.filter(
    (field) =>
      !OPTIONAL.has(action) &&
      !OPTIONAL_FIELDS.has(field) &&
      !(field === "element" && /^(press|evaluate)$/.test(action)) &&
      !(field in chosen),
  );
  if (needed.length > 0) throw new BadArguments([`${action} needs ${needed.join(", ")}`]);
  return { do: action, ...chosen } as SessionAction;
}
