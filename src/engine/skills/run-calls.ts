import type { ShapeBook } from "../../graph/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Runner, SkillState } from "../../skills/index.ts";
import type { Calls } from "../methods.ts";
import type { RememberRun } from "./remember-run.ts";
import type { RunMethods } from "./run-methods.ts";
import { shownRun } from "./shown-run.ts";

interface Parts {
  readonly runner: Runner;
  readonly shapes: () => ShapeBook;
  readonly state: () => SkillState;
  readonly remember: RememberRun;
}

/** Operations of skills, as their callers see them. */
export function createRunCalls({ runner, shapes, state, remember }: Parts): Calls<keyof RunMethods> {
  return {
    run: async (input, { caller, signal, progress }) => {
      const { detail, format, with_data = false, remember: wanted, ...asked } = input;
      const keep = remember({ caller, remember: wanted });
      const done = await keep(await runner.run({ ...asked, caller, signal, progress }));
      const command = `deputy run ${asked.skill} ${asked.operation}`;
      return shownRun(done, { detail, format, with_data, caller, command }, shapes());
    },
    "skills.clear": async ({ skill, cache = false, data = false }) => {
      if (!cache && !data) {
        throw new DeputyError("BAD_USAGE", "Say what to clear: --cache, --data or both", {
          hint: "The cache can be found again; data cannot.",
        });
      }
      const shelves = [...(cache ? (["cache"] as const) : []), ...(data ? (["data"] as const) : [])];
      return { removed: shelves.reduce((sum, shelf) => sum + state().clear(shelf, skill), 0) };
    },
  };
}
