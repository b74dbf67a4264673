/** The runner with everything real around it: vault, lender, grants, jail, hosts, and skills in a folder of its own. */
import { homedir } from "node:os";
import { join } from "node:path";
import { createGrants, type Grants, type NewGrant } from "../../src/access/index.ts";
import { keepSecret } from "../../src/auth/index.ts";
import { createGrantStore } from "../../src/engine/grants/grant-store.ts";
import { bundledShapes, loadShapes } from "../../src/graph/index.ts";
import type { Caller } from "../../src/kernel/index.ts";
import { createJail, type Jail, readEnvironment } from "../../src/platform/index.ts";
import {
  createRunner,
  createSkillProviders,
  createSkillState,
  createSyntaxReader,
  findPython,
  HostPool,
  type RunDone,
  type Runner,
  type RunnerParts,
  SkillLibrary,
  type SkillState,
} from "../../src/skills/index.ts";
import { foldDomain } from "../../src/vault/index.ts";
import { createDenialRing } from "./denial-ring.ts";
import { type Files, writeSkill } from "./skill-folder.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { TestLender } from "./test-lender.ts";

export const OWNER: Caller = { kind: "owner", agent: "owner", instance: "test", via: "cli" };
export const AGENT: Caller = { kind: "agent", agent: "claude-code", instance: "i1", via: "mcp" };

const clock = { now: () => Date.now() };
const ALL: Omit<NewGrant, "subject" | "pin" | "identity"> = {
  agent: "owner",
  operations: null,
  readOnly: false,
  expires: null,
  expose: false,
  allow: [],
};

export class TestRunner implements AsyncDisposable {
  readonly desk: TestLender;
  readonly library: SkillLibrary;
  readonly grants: Grants;
  readonly denials = createDenialRing();
  readonly state: SkillState;
  readonly runner: Runner;
  readonly parts: RunnerParts;
  readonly jail: Jail;
  readonly #folder = temporaryFolder("runner");
  readonly #hosts: HostPool;

  private constructor(names: readonly string[], jail: Jail, hosts: HostPool) {
    this.desk = new TestLender(names);
    this.jail = jail;
    this.#hosts = hosts;
    const { expressions, vault, lender } = this.desk;
    this.library = new SkillLibrary({
      bundled: join(this.#folder.path, "none"),
      home: join(this.#folder.path, "skills"),
      added: () => [],
      expressions,
      syntax: async () =>
        createSyntaxReader({ jail: async () => jail, python: () => findPython(readEnvironment()) }),
    });
    this.grants = createGrants({ store: createGrantStore(vault), clock, denials: this.denials });
    this.state = createSkillState(join(this.#folder.path, "state.db"));
    const shapes = loadShapes({ folders: [bundledShapes] });
    const deputyHome = join(this.#folder.path, "deputy");
    const env = readEnvironment();
    this.parts = {
      library: this.library,
      lender: async () => lender,
      grants: async () => this.grants,
      expressions,
      hosts: async () => hosts,
      executors: async () => ({ jail, node: process.execPath, env, home: homedir(), deputyHome }),
      shapes: () => shapes,
      state: () => this.state,
      keep: async (secret) => keepSecret({ vault, clock }, secret),
      fold: foldDomain,
      clock,
    };
    this.runner = createRunner(this.parts);
    this.desk.fromSkills = createSkillProviders({
      library: this.library,
      runner: () => this.runner,
      grants: async () => this.grants,
      clock,
    });
  }

  static async open(names: readonly string[]): Promise<TestRunner> {
    const env = readEnvironment();
    const jail = await createJail({ env });
    const python = await findPython(env);
    return new TestRunner(names, jail, new HostPool({ jail, node: process.execPath, python, size: 1 }));
  }

  skill(id: string, files: Files): void {
    writeSkill(join(this.#folder.path, "skills", id), files);
  }

  /** The owner's word for the skill as it is now. */
  async grant(skill: string, domain: string | null, more: Partial<NewGrant> = {}): Promise<void> {
    const { pin } = await this.library.get(skill);
    const identity = domain === null ? null : { domain, account: null, pending: false };
    this.grants.add({ ...ALL, subject: skill, pin, identity, ...more });
  }

  run(
    skill: string,
    operation: string,
    params: Record<string, unknown> = {},
    more: { account?: string; connection?: string; caller?: Caller; signal?: AbortSignal } = {},
  ): Promise<RunDone> {
    const { caller = OWNER, signal = AbortSignal.timeout(60_000), ...rest } = more;
    return this.runner.run({ skill, operation, params, caller, signal, ...rest });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hosts[Symbol.asyncDispose]();
    this.state[Symbol.dispose]();
    await this.desk[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}
