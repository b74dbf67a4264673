import type { Command } from "commander";
import { define } from "../define.ts";

export function addDemo(program: Command): void {
  define(program, {
    usage: "demo",
    summary: "see what Deputy does, in a home of its own, without accounts or internet",
    example: "deputy demo",
    async run(shell) {
      const { runDemo } = await import("../../../demo/index.ts");
      const shown = await runDemo({ silent: shell.json });
      shell.show(shown, "");
      return shown.interrupted ?? (shown.ok ? 0 : 1);
    },
  });
}
