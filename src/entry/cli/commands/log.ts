import type { Command } from "commander";
import type { LogLine } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { define, given, type Options, text } from "../define.ts";
import { minute, plain, table } from "../table.ts";

/** Enough for a look; a script says how much it wants. */
const SHOWN = 50;

export function addLog(program: Command): void {
  define(program, {
    usage: "log",
    summary: "who did what, as whom, and where to",
    example: "deputy log --follow --agent claude-code",
    options: [
      ["--follow", "go on with each call as it ends, until Ctrl-C"],
      ["--limit <number>", `how many of the newest (default: ${SHOWN})`],
      ["--agent <agent>", "only what this agent did; owner is you"],
      ["--skill <skill>", "only this skill, or a part of Deputy such as @curl or @vault"],
      ["--restart", "put a log that was tampered with aside and begin a new one"],
    ],
    async run(shell, _args, options) {
      if (options["restart"] === true) {
        const done = await shell.call("log.restart", {});
        return shell.show(done, `Begun anew. What was there is in ${done.aside}`);
      }
      const asked = askedOf(options);
      const show = shell.json ? (line: LogLine) => JSON.stringify(line) : inWords;
      if (options["follow"] === true) {
        await shell.call("log.follow", asked, ({ line }) => {
          if (line !== undefined) process.stdout.write(`${show(line)}\n`);
        });
        return undefined;
      }
      const lines = await shell.call("log.read", asked);
      const none = shell.json ? "[]" : "Nothing yet.";
      process.stdout.write(`${lines.length === 0 ? none : lines.map(show).join("\n")}\n`);
      return undefined;
    },
  });
  define(program, {
    usage: "agents",
    summary: "who has called so far",
    example: "deputy agents",
    async run(shell) {
      const rows = await shell.call("agents.list", {});
      const cells = rows.map((row) => [
        row.name,
        row.version ?? "",
        row.via,
        minute(row.first_seen),
        minute(row.last_seen),
        String(row.instances),
      ]);
      shell.show(rows, table(["AGENT", "VERSION", "VIA", "FIRST SEEN", "LAST SEEN", "CONNECTIONS"], cells));
    },
  });
}

function askedOf(options: Options): { limit: number; agent?: string; skill?: string } {
  const limit = Number(text(options, "limit") ?? SHOWN);
  if (!Number.isInteger(limit) || limit < 0)
    throw new DeputyError("BAD_USAGE", "--limit is a number of lines", { hint: "deputy log --limit 200" });
  return { limit, ...given(options, "agent", "skill") };
}

function inWords(line: LogLine): string {
  const { at, agent, skill, operation, identity, hosts, outcome, code, duration_ms } = line;
  const words = [
    at.slice(0, 19).replace("T", " "),
    agent,
    `${skill} ${operation}`,
    ...(identity === null ? [] : [`as ${identity}`]),
    ...(hosts.length === 0 ? [] : [`to ${hosts.join(", ")}`]),
    outcome === "failed" ? `failed (${code})` : outcome,
    `${duration_ms} ms`,
  ];
  return plain(words.join("  "));
}
