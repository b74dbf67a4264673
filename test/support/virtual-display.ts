/** A display nobody looks at, for windows that must be visible to be opened. */
import { spawn } from "node:child_process";
import { findProgram, readEnvironment } from "../../src/platform/index.ts";

const program = findProgram("Xvfb", readEnvironment());

/** For `{ skip }`: why tests with a visible window cannot run here. */
export const noDisplay = program === undefined ? "no Xvfb is installed" : false;

export interface VirtualDisplay extends AsyncDisposable {
  /** For DISPLAY. */
  readonly name: string;
}

export async function startDisplay(): Promise<VirtualDisplay> {
  const args = ["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"];
  const child = spawn(program ?? "Xvfb", args, { stdio: ["ignore", "pipe", "ignore"] });
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const number = await new Promise<string>((done, fail) => {
    let said = "";
    child.stdout.on("data", (text: Buffer) => {
      said += text.toString();
      if (said.includes("\n")) done(said.trim());
    });
    child.once("error", fail);
    child.once("exit", () => fail(new Error("Xvfb ended")));
  });
  return {
    name: `:${number}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
