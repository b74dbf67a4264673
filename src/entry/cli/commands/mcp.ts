import type { Command } from "commander";
import { DeputyError } from "../../../kernel/index.ts";
import { define, type Options, text } from "../define.ts";
import type { Entries, McpEntry } from "../entries.ts";
import { parseJson } from "../input.ts";
import { plain } from "../table.ts";

/** What a client is called that was not named. */
const SOMEBODY = "http-client";

export function addMcp(program: Command, { mcp: load }: Entries): void {
  define(program, {
    usage: "mcp",
    summary: "serve agents: MCP on standard input and output, or over HTTP on this machine",
    example: "deputy mcp install claude-code",
    options: [["--http <port>", "serve HTTP on this port of 127.0.0.1; 0 chooses one"]],
    async run(shell, _args, options) {
      const port = portOf(options);
      const mcp = await load();
      if (port === undefined) {
        await mcp.serveStdio();
        return;
      }
      await using serving = await mcp.serveHttp(port);
      const url = `http://127.0.0.1:${serving.port}/mcp`;
      const first = mcp.tokenClients().length === 0 ? mcp.createToken(SOMEBODY) : null;
      shell.show({ url, port: serving.port, ...first }, describeServing(url, first));
      await interrupted();
    },
  });
  const mcp = program.commands.find((command) => command.name() === "mcp");
  if (mcp === undefined) throw new TypeError("the command was just defined");
  mcp.enablePositionalOptions(); // what comes after a word is that word's

  define(mcp, {
    usage: "install <client>",
    summary: "add Deputy to a client's settings: claude-code, cursor, codex",
    example: "deputy mcp install claude-code",
    options: [
      [
        "--print",
        "change nothing and show what to add, also for claude-desktop, vscode, gemini, opencode, zed",
      ],
      ["--http <port>", "let it come over HTTP, with a token of its own"],
    ],
    async run(shell, [client = ""], options) {
      const entry = await load();
      const port = portOf(options);
      if (options["print"] === true) {
        const { file, text: lines } = entry.snippet(client, port);
        const token = port === undefined ? "" : `\nTOKEN is what this shows: deputy mcp token ${client}`;
        return shell.show({ file, text: lines }, `Add this to ${plain(file)}:\n\n${lines.trimEnd()}${token}`);
      }
      const done = entry.install(client, port);
      const kept = done.backup === null ? "" : ` What it was is in ${done.backup}.`;
      const words = done.changed
        ? `Added Deputy to ${done.file}.${kept}\n${done.after ?? ""}`
        : `It is in ${done.file} already.`;
      return shell.show(done, plainLines(words));
    },
  });
  define(mcp, {
    usage: "uninstall <client>",
    summary: "take Deputy out of a client's settings again",
    example: "deputy mcp uninstall claude-code",
    async run(shell, [client = ""]) {
      const done = (await load()).uninstall(client);
      shell.show(
        done,
        plainLines(done.changed ? `Taken out of ${done.file}.` : `It was not in ${done.file}.`),
      );
    },
  });
  define(mcp, {
    usage: "token <client>",
    summary: "a token for a client that comes over HTTP; grants then name it by that name",
    example: "deputy mcp token laptop",
    options: [["--remove", "the client may no longer come in"]],
    async run(shell, [client = ""], options) {
      const entry = await load();
      if (options["remove"] === true) {
        const removed = entry.removeToken(client);
        return shell.show({ removed }, removed ? "Removed." : "There was none.");
      }
      const made = entry.createToken(client);
      return shell.show(
        made,
        `${made.token}\nIt is shown this once. The client sends it as: Authorization: Bearer TOKEN`,
      );
    },
  });
  define(mcp, {
    usage: "call <tool> [json]",
    summary: "call one tool as a client would, to see what it answers",
    example: "deputy mcp call readme '{}'",
    async run(shell, [tool = "", json = "{}"]) {
      const { text: words, failed, result } = await (await load()).call(tool, parseJson(json));
      shell.show(result, words);
      return failed ? 1 : 0;
    },
  });
}

function describeServing(url: string, first: ReturnType<McpEntry["createToken"]> | null): string {
  const token =
    first === null
      ? "Clients need a token: deputy mcp token NAME"
      : `Its first token, for the client ${first.client}; it is shown this once:\n  ${first.token}`;
  return `Serving MCP at ${url}\n${token}`;
}

function portOf(options: Options): number | undefined {
  const given = text(options, "http");
  if (given === undefined) return undefined;
  const port = Number(given);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535 && given.trim() !== "") return port;
  throw new DeputyError("BAD_USAGE", "--http takes a port, such as 8808");
}

/** Until the person ends it. */
async function interrupted(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}

/** Paths come from the environment: no escape sequence reaches the terminal, but lines stay lines. */
function plainLines(words: string): string {
  return words.trim().split("\n").map(plain).join("\n");
}
