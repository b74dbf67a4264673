/** What a document has its reader do: files to write and commands to type, in order, with what it says they print. */

export interface WrittenFile {
  readonly kind: "file";
  readonly path: string;
  readonly content: string;
  /** It goes to the end of what the file holds. */
  readonly added: boolean;
}

export interface TypedCommand {
  readonly kind: "command";
  readonly line: number;
  readonly command: string;
  /** `…` stands for anything within a line; alone on a line, for any number of lines. */
  readonly prints: string;
}

export interface CodeBlock {
  readonly line: number;
  readonly language: string;
  readonly words: readonly string[];
  readonly text: string;
}

export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { line: number; info: string; lines: string[] } | undefined;
  for (const [index, line] of markdown.split("\n").entries()) {
    if (!line.startsWith("```")) open?.lines.push(line);
    else if (open === undefined) open = { line: index + 2, info: line.slice(3), lines: [] };
    else {
      const [language = "", ...words] = open.info.trim().split(/\s+/);
      blocks.push({ line: open.line, language, words, text: `${open.lines.join("\n")}\n` });
      open = undefined;
    }
  }
  return blocks;
}

/** ```` ```console ```` holds commands after `$ `; ```` ```ts path ```` a file, ```` ```ts path added ```` more of one. */
export function stepsOf(markdown: string): (WrittenFile | TypedCommand)[] {
  return codeBlocks(markdown).flatMap((block): (WrittenFile | TypedCommand)[] => {
    const [path, added] = block.words;
    if (block.language === "console") return commandsOf(block);
    return path === undefined ? [] : [{ kind: "file", path, content: block.text, added: added === "added" }];
  });
}

function commandsOf({ line: first, text }: CodeBlock): TypedCommand[] {
  const commands: { kind: "command"; line: number; command: string; prints: string }[] = [];
  for (const [index, line] of text.split("\n").slice(0, -1).entries()) {
    const last = commands.at(-1);
    if (line.startsWith("$ ")) {
      commands.push({ kind: "command", line: first + index, command: line.slice(2), prints: "" });
    } else if (last !== undefined) last.prints += `${line}\n`;
    else throw new Error(`line ${first + index}: output without a command`);
  }
  return commands;
}

/** What was printed is what the document shows. */
export function asPattern(prints: string): RegExp {
  const lines = prints.split("\n").slice(0, -1);
  const patterns = lines.map((line) =>
    line === "…"
      ? "(?:.*\\n)*"
      : `${line
          .split("…")
          .map((part) => RegExp.escape(part))
          .join(".*")}\\n`,
  );
  return new RegExp(`^${patterns.join("")}$`);
}
