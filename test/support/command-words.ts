/** Command lines as documents show them, and whether the program knows them: its words, options and number of arguments. */
import { Command, CommanderError } from "commander";
import { filesFor } from "../../src/entry/cli/command-files.ts";

const never = () => {
  throw new TypeError("no command runs here");
};

/** The real commands, which parse and do nothing. */
export async function parsingProgram(): Promise<Command> {
  const program = new Command("deputy").enablePositionalOptions().version("0");
  for (const { load } of filesFor([])) (await load())(program, { mcp: never, units: never });
  for (const command of within(program)) {
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
    if ((command as any)._actionHandler != null) command.action(() => {}); // a word that only holds others has none
  }
  return program;
}

function within(command: Command): Command[] {
  return [command, ...command.commands.flatMap(within)];
}

/** Every `deputy …` of a code block: after a prompt, a pipe or `&&`; without redirections and what is said beside it. */
export function commandLines(block: string): string[] {
  return block.split("\n").flatMap((line) =>
    line
      .replace(/ {3,}\S.*$/, "")
      .replace(/ # .*$/, "")
      .split(/\|\||&&|[|;]/)
      .map((part) =>
        part
          .replace(/^\s*(\w*\$ )?/, "")
          .replace(/\s[<>]+ ?\S+/g, "")
          .trim(),
      )
      .filter((part) => /^deputy [a-z-]/.test(part)),
  );
}

/** What the program says of a command line, or nothing. */
export async function refusal(program: Command, line: string): Promise<string | undefined> {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
  try {
    await program.parseAsync(words.slice(1), { from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? undefined : error.message.split("\n")[0];
  }
}

/** What is said of a command in running text: its words must be there, and every option of one of them. */
export function unknownWords(program: Command, span: string): string | undefined {
  const [, ...words] = span.split(/\s+/).map((word) => word.replace(/^[[(]+|[\])…]+$/g, ""));
  let at: Command[] = [program];
  while (words.length > 0 && at.some(({ commands }) => commands.length > 0)) {
    const alternatives = [words.shift() ?? ""];
    while (words[0] === "\\|" || words[0] === "|") alternatives.push(...words.splice(0, 2).slice(1));
    if (alternatives[0]?.startsWith("-")) return undefined;
    const found = alternatives.map((word) =>
      at.flatMap(({ commands }) => commands).find((command) => command.name() === word),
    );
    const missing = alternatives.find((_, index) => found[index] === undefined);
    if (missing !== undefined) return `no command ${missing}`;
    at = found.filter((command) => command !== undefined);
  }
  const known = new Set(at.flatMap(({ options }) => options.flatMap(({ long, short }) => [long, short])));
  return words.find(
    (word) => /^--?[a-z]/i.test(word) && word !== "--help" && !known.has(word.replace(/=.*/, "")),
  );
}
