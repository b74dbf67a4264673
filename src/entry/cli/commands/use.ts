import type { Command } from "commander";
import type { CapabilityRow } from "../../../engine/index.ts";
import { withGrants } from "../ask-grant.ts";
import { define, given } from "../define.ts";
import { requestOf, runOptions } from "../run-options.ts";
import { showRun } from "../show-run.ts";
import { plain, table } from "../table.ts";

export function addUse(program: Command): void {
  define(program, {
    usage: "use [tool]",
    summary: "use what skills provide, whichever skill does it; without a tool: what there is",
    example: 'deputy use web_search -p query="type systems"',
    options: [...runOptions, ["--skill <skill>", "this skill, and no other"]],
    async run(shell, [tool], options) {
      if (tool === undefined) {
        const rows = await shell.call("capabilities.list", {});
        return shell.show(rows, rows.length === 0 ? "No skill provides a tool." : listing(rows));
      }
      const request = { tool, ...requestOf(options, shell.json), ...given(options, "skill") };
      const done = await withGrants(shell, () => shell.call("capabilities.call", request));
      showRun(done, request.format);
      if (request.format === "markdown")
        process.stderr.write(plain(`deputy: by ${done.route.skill} (${WHY[done.route.why]})`) + "\n");
    },
  });
}

const WHY = {
  "asked-for": "as you said",
  address: "it is for that address",
  login: "it has a login",
  anonymous: "it needs no login",
  "nothing-ready": "no other is ready",
} as const;

const STANDING = {
  granted: "",
  anonymous: "",
  "not-granted": " (not granted)",
  "no-login": " (no login)",
} as const;

function listing(rows: readonly CapabilityRow[]): string {
  return table(
    ["TOOL", "PARAMETERS", "BY", "WHAT IT DOES"],
    rows.map(({ tool, params, providers, description }) => [
      tool,
      params.map(({ name, required }) => (required ? name : `[${name}]`)).join(" "),
      providers.map(({ skill, standing }) => `${skill}${STANDING[standing]}`).join(", "),
      description,
    ]),
  );
}
