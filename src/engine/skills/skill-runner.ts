import { homedir } from "node:os";
import { join } from "node:path";
import type { DenialLog, Grants } from "../../access/index.ts";
import { keepSecret, type Lender } from "../../auth/index.ts";
import type { Expressions } from "../../expressions/index.ts";
import { bundledShapes, loadShapes, type ShapeBook } from "../../graph/index.ts";
import type { Clock } from "../../kernel/index.ts";
import { createJail, type Environment, type HomePaths, type Jail } from "../../platform/index.ts";
import {
  createRunner,
  createSkillState,
  createSyntaxReader,
  findPython,
  HostPool,
  type Runner,
  type RunnerParts,
  type SkillLibrary,
  type SkillState,
  type SyntaxReader,
} from "../../skills/index.ts";
import { foldDomain } from "../../vault/index.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly paths: HomePaths;
  readonly env: Environment;
  readonly door: VaultDoor;
  readonly library: SkillLibrary;
  readonly lender: () => Promise<Lender>;
  readonly grants: () => Promise<Grants>;
  readonly expressions: Expressions;
  readonly clock: Clock;
  readonly denials: DenialLog;
}

export interface SkillRunner extends AsyncDisposable {
  readonly runner: Runner;
  /** One that differs in some of its parts, for runs that are not the real thing. */
  readonly runnerWith: (changes: (parts: RunnerParts) => Partial<RunnerParts>) => Runner;
  readonly shapes: () => ShapeBook;
  readonly state: () => SkillState;
  readonly jail: () => Promise<Jail>;
  readonly syntax: () => Promise<SyntaxReader>;
}

/** Everything that runs skills, each part made when it is first needed: most commands run none. */
export function createSkillRunner(parts: Parts): SkillRunner {
  const { paths, env, door, clock } = parts;
  const jail = once(() => createJail({ env, guarded: [paths.home] }));
  const hosts = once(
    async () => new HostPool({ jail: await jail(), node: process.execPath, python: () => findPython(env) }),
  );
  const syntax = once(async () =>
    createSyntaxReader({ jail, python: () => findPython(env), folder: join(paths.cache, "syntax") }),
  );
  const executors = once(async () => ({
    jail: await jail(),
    node: process.execPath,
    env,
    home: env["HOME"] || homedir(),
    deputyHome: paths.home,
  }));
  const shapes = once(() => loadShapes({ folders: [bundledShapes, join(paths.home, "shapes")] }));
  const state = once(() => createSkillState(join(paths.home, "skill-state.db")));
  const whole: RunnerParts = {
    ...parts,
    hosts,
    executors,
    shapes,
    state,
    keep: async (secret) => keepSecret({ vault: await door.get(), clock }, secret),
    fold: foldDomain,
  };
  return {
    runner: createRunner(whole),
    runnerWith: (changes) => createRunner({ ...whole, ...changes(whole) }),
    shapes,
    state,
    jail,
    syntax,
    async [Symbol.asyncDispose]() {
      if (hosts.made()) await (await hosts())[Symbol.asyncDispose]();
      if (state.made()) state()[Symbol.dispose]();
    },
  };
}

function once<T>(make: () => T): (() => T) & { made(): boolean } {
  let value: { readonly of: T } | undefined;
  return Object.assign(() => (value ??= { of: make() }).of, { made: () => value !== undefined });
}
