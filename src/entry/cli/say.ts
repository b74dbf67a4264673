import { plain } from "./table.ts";

/** Words for the person beside the answer, which a script may be reading. */
export function say(words: string): void {
  process.stderr.write(`${words.split("\n").map(plain).join("\n")}\n`);
}
