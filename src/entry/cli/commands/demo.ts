import type { Command } from "commander";
import { define } from "../define.ts";

export function addDemo(program: Command): void {
  define(program, {
    usage: "demo",
    summary: "see what Deputy does, in a home of its own, without accounts or internet",
    example: "deputy demo",
    async run() {
      const { runDemo } = await import("../../../demo/index.ts");
      return runDemo();
    },
  });
}
