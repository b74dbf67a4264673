import { z } from "zod";
import { shellWord } from "../../../kernel/index.ts";
import { defineTool } from "../tool.ts";
import { given } from "./given.ts";

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
    const plan = await ask("login.plan", { target, ...given({ connection, account }) }, { repeatable: true });
    const words = [
      "deputy login",
      shellWord(target),
      ...(connection === undefined ? [] : ["--connection", shellWord(connection)]),
      ...(account === undefined ? [] : ["--account", shellWord(account)]),
    ];
    const command = words.join(" ");
    const { domain, type, page } = plan;
    const text = [
      `Login at ${domain} (${KINDS[type]}). Ask the user to run this in a terminal of their own:`,
      `  ${command}`,
      ...(page === null
        ? []
        : [type === "api_key" ? `They get the key at ${page}` : `They log in at ${page}`]),
      "When they say it is done, call your tool again. No restart is needed.",
    ].join("\n");
    return { text, data: { command, domain, type } };
  },
});

const KINDS = { api_key: "an API key", cookies: "a browser's login", oauth: "OAuth" } as const;
