import { Command, CommanderError } from "commander";
import { version } from "../../engine/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { filesFor } from "./command-files.ts";
import type { Entries } from "./entries.ts";
import { exitStatus } from "./exit-status.ts";
import { plain } from "./table.ts";

/** Runs one command line and gives its exit status. */
export async function main(argv: readonly string[], entries: Entries): Promise<number> {
  const json = argv.includes("--json");
  const program = createProgram(json);
  try {
    for (const { load } of filesFor(argv)) (await load())(program, entries);
    await program.parseAsync(argv, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // --help, --version
    return report(asDeputyError(error, helpFor(program, argv)), json);
  }
}

function createProgram(json: boolean): Command {
  return new Command("deputy")
    .description("Lets AI agents act as you, one identity at a time.")
    .version(version)
    .exitOverride()
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .configureOutput({ outputError: () => {}, ...(json ? { writeErr: () => {} } : {}) })
    .addHelpText("after", "\nStart with:\n  deputy setup");
}

function report(error: DeputyError, json: boolean): number {
  if (json) process.stdout.write(`${JSON.stringify({ error }, null, 2)}\n`);
  else {
    // Names in a message may come from files others wrote: no escape sequence reaches the terminal.
    const hint = error.hint === undefined ? "" : `  ${plain(error.hint)}\n`;
    process.stderr.write(`deputy: ${plain(error.message)}\n${hint}`);
  }
  return exitStatus(error.code);
}

/** The help that lists what could have been meant: of a word's commands where it has some. */
function helpFor(program: Command, [word]: readonly string[]): string {
  const group = program.commands.find((command) => command.name() === word && command.commands.length > 0);
  return group === undefined ? "See deputy --help" : `See deputy ${group.name()} --help`;
}

function asDeputyError(error: unknown, help: string): DeputyError {
  if (error instanceof DeputyError) return error;
  if (error instanceof CommanderError) {
    // commander says "error: unknown command 'x'\n(Did you mean y?)"; a group without its command shows its help.
    const [first = "", ...rest] = error.message.replace(/^error: /, "").split("\n");
    const message = error.code === "commander.help" ? "That command needs another word" : first;
    const hint = rest.join(" ").replace(/[()]/g, "") || help;
    return new DeputyError("BAD_USAGE", message, { hint });
  }
  throw error; // a bug: let it be seen whole
}
