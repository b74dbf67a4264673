import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ShapeBook } from "../../graph/index.ts";
import { type Clock, DeputyError } from "../../kernel/index.ts";
import { fileError, writeFileAtomic } from "../../platform/index.ts";
import {
  type Cassette,
  createPassingState,
  type Operation,
  readCassette,
  recordingLender,
  replayGrants,
  replayingLender,
  type RunDone,
  type Runner,
  type Skill,
  type SkillLibrary,
  Tape,
  testSkill,
  writeCassette,
} from "../../skills/index.ts";
import type { CallContext, Calls } from "../methods.ts";
import type { SkillRunner } from "./skill-runner.ts";
import type { SkillTestMethods } from "./skill-test-methods.ts";

interface Parts {
  readonly home: string;
  readonly library: SkillLibrary;
  readonly runner: Runner;
  readonly runnerWith: SkillRunner["runnerWith"];
  readonly shapes: () => ShapeBook;
  readonly clock: Clock;
}

type Input = SkillTestMethods["skills.test"]["in"];
type Run = (operation: Operation) => Promise<RunDone>;

/** What a skill does, tried and looked at: for real, for the record, or from one. */
export function createSkillTestCalls(parts: Parts): Calls<keyof SkillTestMethods> {
  return {
    "skills.test": async (input, context) => {
      const { skill: id, mode } = input;
      const skill = await parts.library.get(id);
      const path = input.cassette ?? join(parts.home, "cassettes", `${id}.json`);
      const { run, finish } = ways(parts, input, context, skill, path)[mode]();
      const operations = await testSkill(skill, input, {
        run,
        shapes: parts.shapes(),
        progress: (message) => context.progress({ message }),
      });
      finish?.();
      const count = (outcome: string) => operations.filter((one) => one.outcome === outcome).length;
      const [failed, skipped] = [count("failed"), count("skipped")];
      return {
        ok: failed === 0,
        skill: id,
        mode,
        cassette: mode === "live" ? null : path,
        tested: operations.length - skipped,
        failed,
        skipped,
        operations,
      };
    },
  };
}

interface Way {
  readonly run: Run;
  readonly finish?: () => void;
}

function ways(
  parts: Parts,
  { account }: Input,
  { caller, signal }: CallContext,
  skill: Skill,
  path: string,
): Record<Input["mode"], () => Way> {
  const by = (runner: Runner, { name, test: { params } }: Operation) =>
    runner.run({ skill: skill.id, operation: name, params, caller, signal, account });

  return {
    live: () => ({ run: (operation) => by(parts.runner, operation) }),

    record() {
      const before = existsSync(path) ? readOf(path) : undefined;
      const operations: Cassette["operations"] = before?.skill === skill.id ? { ...before.operations } : {};
      const run: Run = async (operation) => {
        const tape = new Tape();
        const state = createPassingState();
        const runner = parts.runnerWith(({ lender, keep }) => ({
          lender: async () => recordingLender(await lender(), tape),
          state: () => state,
          keep(secret) {
            tape.noteSecrets(secret.value);
            return keep(secret);
          },
        }));
        const done = await by(runner, operation);
        operations[operation.name] = tape.recording(new Date(parts.clock.now()).toISOString());
        return done;
      };
      return { run, finish: () => writeTo(path, { format: 1, skill: skill.id, operations }) };
    },

    replay() {
      const { operations } = readOf(path, `deputy skills test ${skill.id} --record`);
      const run: Run = async (operation) => {
        const recording = operations[operation.name];
        if (recording === undefined) throw notRecorded(operation);
        const state = createPassingState();
        const runner = parts.runnerWith(({ grants }) => ({
          lender: async () => replayingLender(recording),
          grants: replayGrants(grants),
          state: () => state,
          keep: async ({ domain, identifier }) => ({ domain, identifier }),
        }));
        return by(runner, operation);
      };
      return { run };
    },
  };
}

function readOf(path: string, recordBy?: string): Cassette {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (recordBy === undefined || !(error instanceof Error && "code" in error && error.code === "ENOENT"))
      throw fileError(error, path);
    throw new DeputyError("NOT_FOUND", `There is no cassette ${path}`, { hint: `Record one: ${recordBy}` });
  }
  return readCassette(text, path);
}

function writeTo(path: string, cassette: Cassette): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileError(error, path);
  }
  writeFileAtomic(path, writeCassette(cassette));
}

function notRecorded({ skill, name }: Operation): DeputyError {
  return new DeputyError("NOT_FOUND", `The cassette has no recording of ${name}`, {
    hint: `Record it: deputy skills test ${skill} --op ${name} --record`,
  });
}
