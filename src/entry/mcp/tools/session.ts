import { z } from "zod";
import type { SessionRow } from "../../../engine/index.ts";
import { defineTool } from "../tool.ts";
import { given } from "./given.ts";
import { sessionAct } from "./session-act.ts";

const session = z.string().describe("The session's id, from session_open or session_list");

const tabSchema = z.object({ id: z.string(), url: z.string(), title: z.string() });
const rowSchema = z.object({
  id: z.string(),
  name: z.string(),
  agent: z.string(),
  source: z.string(),
  state: z.enum(["opening", "open", "asleep", "lost"]),
  created_at: z.string(),
  used_at: z.string(),
  tabs: z.array(tabSchema),
  report: z.looseObject({}).describe("What was cloned and what could not be; never a value"),
});

const open = defineTool({
  name: "session_open",
  title: "Open a browser session",
  description:
    "Opens an isolated browser session with one of the user's logins in it, or gives the one you have. You use the login without seeing it. The user must have allowed it.",
  input: z.strictObject({
    identity: z
      .string()
      .optional()
      .describe("The login: github.com, or github.com/joe where there are several"),
    from: z.string().optional().describe("Instead: the name of a saved session"),
    blank: z.boolean().optional().describe("Instead: true for an empty session"),
    name: z.string().optional().describe("For a session of its own beside another of the same login"),
    url: z.string().optional().describe("Open a tab at this address"),
    allow: z.array(z.string()).min(1).optional().describe("Fence it to these hosts, such as github.com"),
    write_back: z.boolean().optional().describe("Cookies the service renews return to the user's vault"),
  }),
  output: rowSchema,
  effect: "write",
  open: true,
  async call({ from, ...input }, ask) {
    const row = await ask("session.open", {
      ...given(input),
      ...(from === undefined ? {} : { saved: from }),
    });
    return { text: words(row), data: { ...row } };
  },
});

const tab = defineTool({
  name: "session_tab",
  title: "Open a tab",
  description: "Opens another tab in your session and waits until the page is loaded.",
  input: z.strictObject({ session, url: z.string().optional().describe("Where to") }),
  output: tabSchema,
  effect: "write",
  open: true,
  async call(input, ask) {
    const made = await ask("session.tab", { session: input.session, ...given({ url: input.url }) });
    return { text: `${made.title || "A tab"} (${made.id}) at ${made.url}`, data: { ...made } };
  },
});

const sessions = defineTool({
  name: "session_list",
  title: "List browser sessions",
  description: "Lists your open browser sessions, one a line, with their tabs.",
  input: z.strictObject({}),
  output: z.object({ sessions: z.array(rowSchema) }),
  effect: "read",
  async call(_input, ask) {
    const rows = await ask("session.list", {}, { repeatable: true });
    const text =
      rows.length === 0 ? "You have no session. session_open opens one." : rows.map(words).join("\n");
    return { text, data: { sessions: rows } };
  },
});

const dispose = defineTool({
  name: "session_dispose",
  title: "End a browser session",
  description:
    "Ends a session of yours: its tabs, cookies and files are gone. The user stays logged in elsewhere.",
  input: z.strictObject({ session }),
  output: z.object({ disposed: z.string() }),
  effect: "destructive",
  async call(input, ask) {
    const done = await ask("session.dispose", input);
    return { text: `Gone: ${done.disposed}`, data: { ...done } };
  },
});

const endpoint = defineTool({
  name: "session_endpoint",
  title: "Address of a browser session",
  description:
    "Gives a DevTools (CDP) address of your session for Playwright's connectOverCDP, Puppeteer or another client. It shows this session only.",
  input: z.strictObject({ session }),
  output: z.object({ url: z.string(), expires: z.string() }),
  effect: "write",
  async call(input, ask) {
    const made = await ask("session.endpoint", input);
    return { text: `${made.url} (until ${made.expires} if it is not used)`, data: { ...made } };
  },
});

export const sessionTools = [open, sessionAct, tab, sessions, dispose, endpoint];

function words({ id, source, name, state, tabs, report }: SessionRow): string {
  const { cookies, logins, warnings } = report;
  const until = logins[0]?.until ?? null;
  const ends = logins.length === 1 && until !== null ? `, logged in until ${until}` : "";
  return [
    `${source}${name === "" ? "" : ` ${name}`} (${id}), ${state}: ${cookies.cloned} cookies${ends}`,
    ...tabs.map(({ id: its, url, title }) => `- ${title || "tab"} (${its}) at ${url}`),
    ...warnings.map((one) => `! ${one}`),
  ].join("\n");
}
