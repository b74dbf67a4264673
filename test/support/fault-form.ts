import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Environment, findProgram, readEnvironment } from "../../src/platform/index.ts";

const given = readEnvironment();

/** The fault suites far beyond what a CI run has time for: test/run-faults.ts sets it. */
export const longForm = given["DEPUTY_FAULTS"] === "long";

/** What a suite may take when minutes were asked for; 0 when they were not. A test's `timeout` is that much later. */
export const allottedMs = Number(given["DEPUTY_FAULT_SECONDS"] ?? 0) * 1000;

/** A seed that can be given again: it is printed by every test that draws from it. */
export const seed = Number(given["DEPUTY_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

interface RoundsForm {
  readonly short: number;
  readonly long: number;
  /** After so many there is nothing new to try, whatever time is left. */
  readonly most?: number;
  /** Of the suite's time, when the suite has other loops too. */
  readonly share?: number;
}

/**
 * The rounds of one loop of a fault suite: a fixed number in the short and the long form; when minutes were asked for,
 * as many as fit, and no fewer than in the short form. Lanes that run at once may draw from the same rounds.
 */
export class Rounds implements Iterable<number> {
  /** Those that were begun. */
  count = 0;
  readonly #form: RoundsForm;
  readonly #until: number;

  constructor(form: RoundsForm) {
    this.#form = form;
    this.#until = performance.now() + allottedMs * (form.share ?? 1);
  }

  /** Minutes were asked for, and those of this loop are over. */
  get isLate(): boolean {
    return allottedMs > 0 && performance.now() >= this.#until;
  }

  *[Symbol.iterator](): Generator<number, void> {
    const { short, long, most = Infinity } = this.#form;
    const enough = () => (this.isLate ? short : allottedMs > 0 ? most : longForm ? long : short);
    while (this.count < enough()) yield this.count++;
  }
}

type Counts = Readonly<Record<string, number>>;

/**
 * Says what a suite did and what it found: `did(t, { kills: 50 }, { lost: 0 })`. test/run-faults.ts adds up what all
 * tests of a suite say; a test file that imports this is a fault suite to it.
 */
export function did(t: TestContext, done: Counts, found: Counts): void {
  const told = [...Object.entries(done), ...Object.entries(found)];
  t.diagnostic(told.map(([what, count]) => `${count} ${what}`).join(", "));
  const file = given["DEPUTY_FAULT_REPORT"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ done, found })}\n`);
}

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
