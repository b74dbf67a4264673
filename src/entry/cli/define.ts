import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { DeputyError } from "../../kernel/index.ts";
import { Shell } from "./shell.ts";

export type Options = Record<string, string | boolean | string[] | undefined>;

interface CommandSpec {
  /** Name and arguments as commander writes them: `set <domain> <account>`. */
  readonly usage: string;
  readonly summary: string;
  /** A line that works as it stands. */
  readonly example: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** It asks for a passphrase that is not the vault's: the vault's then has a descriptor of its own. */
  readonly ownPassphrase?: boolean;
  /** Returns the exit status where it is not 0. */
  readonly run: (shell: Shell, args: readonly string[], options: Options) => Promise<number | void>;
}

/** Adds a command with what every command has: --json, --passphrase-fd, an example. */
export function define(parent: Command, spec: CommandSpec): void {
  const command: Command = parent
    .command(spec.usage)
    .description(spec.summary)
    .option("--json", "print one JSON document")
    .addHelpText("after", `\nExample:\n  ${spec.example}`)
    .exitOverride((error) => {
      // Whoever got this far wants the help of this command, not of all of them.
      if (error.exitCode !== 0) error.message += `\n(See deputy ${fullName(command)} --help)`;
      throw error;
    })
    .allowExcessArguments(false);
  for (const [flags, description] of spec.options ?? []) {
    if (flags.endsWith("...>")) command.option(flags.replace("...>", ">"), description, collect);
    else command.option(flags, description);
  }
  command.option("--passphrase-fd <number>", "read the passphrase from this open descriptor", asDescriptor);
  if (spec.ownPassphrase) {
    command.option(
      "--unlock-fd <number>",
      "read the vault's own passphrase from this open descriptor",
      asDescriptor,
    );
  }
  command.action(async (...given: unknown[]) => {
    const args = given.slice(0, -2).filter((argument) => argument !== undefined) as string[];
    const options = command.opts<Options & { passphraseFd?: number; unlockFd?: number }>();
    const { passphraseFd } = options;
    const unlockFd = spec.ownPassphrase ? options.unlockFd : passphraseFd;
    using shell = new Shell({ json: options["json"] === true, passphraseFd, unlockFd });
    process.exitCode = (await spec.run(shell, args, options)) ?? 0;
  });
}

function fullName(command: Command): string {
  const { parent } = command;
  return parent?.parent == null ? command.name() : `${fullName(parent)} ${command.name()}`;
}

/** A command that only holds others. */
export function group(parent: Command, name: string, summary: string): Command {
  return parent.command(name).description(summary);
}

/** An option that is a string when given at all. */
export function text(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** Those of the named options that were given, for an input that leaves out what was not said. */
export function given<Name extends string>(options: Options, ...names: Name[]): { [K in Name]?: string } {
  const said = names.flatMap((name) => {
    const value = text(options, name);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(said) as { [K in Name]?: string };
}

/** One of a few words; throws BAD_USAGE where it is another. */
export function oneOf<T extends string>(options: Options, name: string, words: readonly T[]): T | undefined {
  const asked = text(options, name);
  const found = words.find((word) => word === asked);
  if (asked === undefined || found !== undefined) return found;
  throw new DeputyError("BAD_USAGE", `There is no ${name} ${asked}`, {
    hint: `There is ${words.join(", ")}.`,
  });
}

/** A browser profile by its name or its folder: a path must not depend on where this command was typed. */
export function profileOf(options: Options): { profile?: string } {
  const { profile } = given(options, "profile");
  if (profile === undefined) return {};
  return { profile: /[/\\]/.test(profile) ? resolve(profile) : profile };
}

/** An option that may be given several times. */
export function list(options: Options, name: string): string[] {
  const value = options[name];
  return Array.isArray(value) ? value : [];
}

/**
 * One value each time: commander's own would take every word that follows, the URL of `curl -H … URL` too. Before it there
 * may have been a --no- of the same name, which is false: what was said last counts.
 */
function collect(value: string, before: string[] | false = []): string[] {
  return [...(before || []), value];
}

function asDescriptor(value: string): number {
  const fd = Number(value);
  if (!Number.isInteger(fd) || fd < 0 || fd > 1023)
    throw new InvalidArgumentError("It is a small number, such as 3.");
  return fd;
}
