import type { Command, Option } from "commander";

/** One word of the command line with everything its help says, as data. */
export interface Described {
  /** Without `deputy`: `["vault", "set"]`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly args: readonly DescribedArgument[];
  readonly options: readonly DescribedOption[];
  readonly examples: readonly string[];
  /** What its help says below the example. */
  readonly more: string;
  readonly words: readonly Described[];
}

export interface DescribedArgument {
  /** `skill|domain` */
  readonly name: string;
  readonly required: boolean;
  readonly variadic: boolean;
}

export interface DescribedOption {
  /** Short and long: `["-p", "--param"]`. */
  readonly names: readonly string[];
  /** What its value is called; undefined where it takes none. */
  readonly value: string | undefined;
  readonly description: string;
}

export function describeCommands(command: Command, path: readonly string[] = []): Described {
  const help = command.createHelp();
  const after = textAfterHelp(command);
  const [before = "", examples = "", ...rest] = after.split(/^Example:\n((?: {2}.*\n?)+)/m);
  return {
    path,
    summary: command.description(),
    args: command.registeredArguments.map((one) => ({
      name: one.name(),
      required: one.required,
      variadic: one.variadic,
    })),
    options: help.visibleOptions(command).map(describeOption),
    examples: examples.split("\n").flatMap((line) => line.trim() || []),
    more: [before, ...rest].join("\n").trim(),
    words: help
      .visibleCommands(command)
      .filter((one) => one.name() !== "help")
      .map((one) => describeCommands(one, [...path, one.name()])),
  };
}

function describeOption({ short, long, flags, description }: Option): DescribedOption {
  return {
    names: [short, long].flatMap((name) => name ?? []),
    value: /[<[](.+?)(?:\.\.\.)?[>\]]$/.exec(flags)?.[1],
    description,
  };
}

/** Help texts are listeners of commander's: only its output has them. */
function textAfterHelp(command: Command): string {
  let text = "";
  const before = command.configureOutput();
  command.configureOutput({ ...before, writeOut: (part) => (text += part) }).outputHelp();
  command.configureOutput(before);
  return text.slice(command.helpInformation().length);
}

/** It and everything below it. */
export function allOf(described: Described): readonly Described[] {
  return [described, ...described.words.flatMap(allOf)];
}
