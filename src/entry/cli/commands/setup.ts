import { resolve } from "node:path";
import type { Command } from "commander";
import type { Methods } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { define, type Options, text } from "../define.ts";
import { choose, isInteractive } from "../prompt.ts";
import type { Shell } from "../shell.ts";

type KeyKind = Methods["vault.rekey"]["in"]["key"];

/** How a sentence about the key ends. */
export const KEY_PLACES = {
  keyring: "in the system's keyring",
  passphrase: "a passphrase",
  file: "a file",
} as const;

export const KEY_OPTIONS = [
  ["--key <kind>", "where the vault's key is kept: keyring, passphrase or file"],
  ["--key-file <path>", "with --key file: another place than the Deputy home"],
] as const;

export function addSetup(program: Command): void {
  define(program, {
    usage: "setup",
    summary: "make the vault and its key",
    example: "deputy setup --key keyring",
    options: [...KEY_OPTIONS, ["--yes", "take the keyring, else a key file, without asking"]],
    async run(shell, _args, options) {
      const asked = options["key"] === undefined ? undefined : keyKind(options);
      const { vault } = await shell.call("status", {});
      const kind = vault.state === "none" ? (asked ?? (await newKind(options))) : undefined;
      const made = await shell.call("setup", kind === undefined ? {} : await keyInput(shell, kind, options));
      const lines = [
        made.created ? `The vault is ready; its key is ${KEY_PLACES[made.key]}.` : alreadyThere(made.key),
      ];
      lines.push(...made.warnings.map((warning) => `Warning: ${warning}`));
      if (made.created)
        lines.push("", "Next:", "  deputy login SKILL, or a domain such as github.com", "  deputy doctor");
      shell.show(made, lines.join("\n"));
    },
  });
}

function alreadyThere(key: KeyKind): string {
  return `The vault is there already; its key is ${KEY_PLACES[key]}. To keep it elsewhere: deputy vault rekey --key …`;
}

/** With a terminal and no --yes a question; else undefined, and the engine chooses. */
async function newKind(options: Options): Promise<KeyKind | undefined> {
  if (options["yes"] === true || !isInteractive()) return undefined;
  return choose<KeyKind>("Where should the vault's key be kept?", [
    { value: "keyring", label: "The system's keyring", hint: "unlocked when you log in" },
    { value: "passphrase", label: "A passphrase", hint: "asked for after each start of the engine" },
    { value: "file", label: "A file", hint: "who can read your files can open the vault" },
  ]);
}

export function keyKind(options: Options): KeyKind {
  const kind = text(options, "key");
  if (kind === "keyring" || kind === "passphrase" || kind === "file") return kind;
  throw new DeputyError("BAD_USAGE", "The kind of key is keyring, passphrase or file", {
    hint: "For example: --key keyring",
  });
}

export async function keyInput(
  shell: Shell,
  key: KeyKind,
  options: Options,
): Promise<Methods["vault.rekey"]["in"]> {
  const file = text(options, "keyFile");
  return {
    key,
    ...(key === "passphrase" ? { passphrase: await shell.passphrase("New passphrase", true) } : {}),
    ...(key === "file" && file !== undefined ? { key_file: resolve(file) } : {}),
  };
}
