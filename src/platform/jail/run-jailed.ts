import { buffer } from "node:stream/consumers";
import type { Jail, Jailed } from "./jail.ts";

/** A started program to its end, with all it printed. Breaking a limit is an outcome, not an error. */
export async function runJailed(jailed: Jailed, input: Uint8Array | string = ""): ReturnType<Jail["run"]> {
  jailed.stdin.end(input);
  const [stdout, stderr, exit] = await Promise.all([
    buffer(jailed.stdout),
    buffer(jailed.stderr),
    jailed.exited,
  ]);
  return { stdout, stderr, exit };
}
