import { z } from "zod";
import { defineTool } from "../tool.ts";

export const loginTool = defineTool({
  name: "login",
  title: "How the user logs in",
  description:
    "Says what the user must do to log in for a skill or a site. You cannot log in yourself; show the user the command.",
  input: z.strictObject({
    target: z.string().describe("A skill's id or a domain: exa, github.com"),
    connection: z.string().optional().describe("Which of the skill's connections, where it has several"),
    account: z.string().optional().describe("Which account, where the user has several"),
  }),
  output: z.object({ command: z.string(), domain: z.string(), type: z.string() }),
  effect: "read",
  async call({ target, connection, account }, ask) {
    const plan = await ask(
      "login.plan",
      {
        target,
        ...(connection === undefined ? {} : { connection }),
        ...(account === undefined ? {} : { account }),
      },
      { repeatable: true },
    );
    const words = [
      "deputy login",
      quote(target),
      ...(connection === undefined ? [] : ["--connection", quote(connection)]),
      ...(account === undefined ? [] : ["--account", quote(account)]),
    ];
    const command = words.join(" ");
    const { domain, type, help_url, page } = plan;
    const text = [
      `Login at ${domain} (${KINDS[type]}). Ask the user to run this in a terminal of their own:`,
      `  ${command}`,
      ...(help_url === null ? [] : [`They get the key at ${help_url}`]),
      ...(page === null ? [] : [`They log in at ${page}`]),
      "When they say it is done, call your tool again. No restart is needed.",
    ].join("\n");
    return { text, data: { command, domain, type } };
  },
});

const KINDS = { api_key: "an API key", cookies: "a browser's login", oauth: "OAuth" } as const;

/** What a person copies into a shell must stay one word of it. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
