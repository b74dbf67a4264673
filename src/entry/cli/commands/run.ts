import type { Command } from "commander";
import { withGrants } from "../ask-grant.ts";
import { define } from "../define.ts";
import { runOptions, requestOf } from "../run-options.ts";
import { showRun } from "../show-run.ts";

export function addRun(program: Command): void {
  define(program, {
    usage: "run <skill> <operation>",
    summary: "run an operation of a skill",
    example: 'deputy run exa search -p query="type systems"',
    options: [...runOptions, ["--no-remember", "keep nothing of the result"]],
    async run(shell, [skill = "", operation = ""], options) {
      const remember = options["remember"] !== false;
      const request = { skill, operation, ...requestOf(options, shell.json), remember };
      showRun(await withGrants(shell, () => shell.call("run", request)), request.format);
    },
  });
}
