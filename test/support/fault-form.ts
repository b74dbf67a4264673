import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Environment, findProgram, readEnvironment } from "../../src/platform/index.ts";

/** `DEPUTY_FAULTS=long` runs the fault suites far beyond what a CI run has time for. */
export const longForm = readEnvironment()["DEPUTY_FAULTS"] === "long";

/** A seed that can be given again: it is printed by every test that draws from it. */
export const seed = Number(readEnvironment()["DEPUTY_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** A reason to skip, or false: what `skip` of node:test takes. */
export function missing(...programs: string[]): string | false {
  const absent = programs.filter((name) => findProgram(name, readEnvironment()) === undefined);
  return absent.length === 0 ? false : `${absent.join(" and ")} not installed`;
}

/** The same for a program that may be there and not allowed to do its work, as in many containers. */
export function unusable(program: string, ...args: string[]): string | false {
  const absent = missing(program);
  if (absent !== false) return absent;
  return spawnSync(program, args).status === 0 ? false : `${program} is not allowed to work here`;
}

let cache: string | undefined;

/** For children by the hundred: compiled code is kept, so that each starts in half the time. test/run.ts says where. */
export function childEnvironment(): Environment {
  const env = readEnvironment();
  if (env["NODE_COMPILE_CACHE"] !== undefined) return env;
  if (cache === undefined) {
    const made = mkdtempSync(join(tmpdir(), "deputy-compiled-"));
    process.on("exit", () => rmSync(made, { recursive: true, force: true }));
    cache = made;
  }
  return { ...env, NODE_COMPILE_CACHE: cache };
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seededRandom(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
