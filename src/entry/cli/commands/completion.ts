import { Command } from "commander";
import { version } from "../../../engine/index.ts";
import { filesFor } from "../command-files.ts";
import { define, group } from "../define.ts";
import type { Entries } from "../entries.ts";
import {
  ASKED,
  bashCompletion,
  completionValues,
  type Described,
  describeCommands,
  fishCompletion,
  manPage,
  zshCompletion,
} from "../manual/index.ts";

const SHELLS = [
  ["bash", bashCompletion, "deputy completion bash > ~/.local/share/bash-completion/completions/deputy"],
  ["zsh", zshCompletion, "deputy completion zsh > ~/.zsh/completions/_deputy"],
  ["fish", fishCompletion, "deputy completion fish > ~/.config/fish/completions/deputy.fish"],
] as const;

const WHERE = {
  bash: "That folder is read by the package bash-completion. Without it, add this to ~/.bashrc:\n  source <(deputy completion bash)",
  zsh: "The folder must be in fpath before compinit runs; in ~/.zshrc:\n  fpath=(~/.zsh/completions $fpath)\n  autoload -U compinit && compinit",
  fish: "New shells have it.",
};

export function addCompletion(program: Command, entries: Entries): void {
  const completion = group(program, "completion", "scripts that let a shell complete deputy's commands");
  for (const [shell, scriptOf, example] of SHELLS) {
    define(completion, {
      usage: shell,
      summary: `the script for ${shell}`,
      example: `${example}\n\n${WHERE[shell]}`,
      async run(to) {
        const script = scriptOf(await describeAll(program, entries));
        to.show({ shell, script }, script.trimEnd());
      },
    });
  }
  completion
    .command("values <what> [skill]", { hidden: true })
    .description(`names for a line that is being typed, one a line: ${ASKED.join(", ")}`)
    .addHelpText("after", "\nExample:\n  deputy completion values operations exa")
    .allowExcessArguments()
    .action(async (what: string, skill = "") => {
      const asked = ASKED.find((one) => one === what);
      const names = asked === undefined ? [] : await completionValues(asked, skill);
      process.stdout.write(names.map((name) => `${name}\n`).join(""), () => process.exit());
    });
  define(program, {
    usage: "manual",
    summary: "the manual page of all commands, for man",
    example: "deputy manual > deputy.1 && man ./deputy.1",
    async run(shell) {
      const page = manPage(await describeAll(program, entries), version);
      shell.show({ page }, page.trimEnd());
    },
  });
}

/** Every command there is: the one that was typed has loaded only its own. */
async function describeAll(program: Command, entries: Entries): Promise<Described> {
  const all = new Command(program.name()).description(program.description()).version(version);
  for (const { load } of filesFor([])) (await load())(all, entries);
  return describeCommands(all);
}
