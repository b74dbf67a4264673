import type { Command } from "commander";
import { define } from "../define.ts";
import type { Entries } from "../entries.ts";
import { CHOICE_OPTIONS, choicesOf } from "../setup/choices.ts";
import { setUp } from "../setup/set-up.ts";
import { KEY_OPTIONS } from "../setup/vault-key.ts";

export function addSetup(program: Command, { mcp }: Entries): void {
  define(program, {
    usage: "setup",
    summary: "meet Deputy: your logins, the vault and its key, what agents may use",
    example: "deputy setup --key keyring",
    options: [
      ...KEY_OPTIONS,
      ...CHOICE_OPTIONS,
      ["--yes", "ask nothing: the keyring, else a key file; nothing is shared or changed but what is named"],
    ],
    run: async (shell, _args, options) => setUp(shell, choicesOf(options, shell.json), await mcp()),
  });
}
