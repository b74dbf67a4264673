import { StringDecoder } from "node:string_decoder";
import type { LogLevel } from "./code-job.ts";

const LONGEST = 8192;

/** What a run logs, and what its process prints as log lines: stdout says, stderr warns. */
export class LogLines {
  readonly #log: (level: LogLevel, text: string) => void;
  readonly #streams = {
    stdout: { level: "info" as const, decoder: new StringDecoder("utf8"), rest: "" },
    stderr: { level: "warn" as const, decoder: new StringDecoder("utf8"), rest: "" },
  };

  constructor(log: (level: LogLevel, text: string) => void) {
    this.#log = log;
  }

  add(stream: "stdout" | "stderr", chunk: Buffer): void {
    const of = this.#streams[stream];
    const lines = (of.rest + of.decoder.write(chunk)).split("\n");
    of.rest = lines.pop() ?? "";
    if (of.rest.length > LONGEST) {
      lines.push(of.rest);
      of.rest = "";
    }
    for (const line of lines) this.say(of.level, line);
  }

  end(): void {
    for (const of of Object.values(this.#streams)) {
      this.say(of.level, of.rest + of.decoder.end());
      of.rest = "";
    }
  }

  say(level: LogLevel, line: string): void {
    if (line !== "") this.#log(level, line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line);
  }
}
