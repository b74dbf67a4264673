/** A skill from a manifest's text, run by the real executors with a real login, jail and expressions. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DeputyError } from "../../src/kernel/index.ts";
import { connectionScope, type Loan } from "../../src/auth/index.ts";
import { createJail, type Jail, readEnvironment } from "../../src/platform/index.ts";
import { execute } from "../../src/skills/executors/execute.ts";
import type { ExecutorParts } from "../../src/skills/executors/executor-parts.ts";
import { describeProblem, loadSkill, type Skill } from "../../src/skills/index.ts";
import type { Execution, Need } from "../../src/skills/run/execution.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { TestLender } from "./test-lender.ts";

const jail: Jail = await createJail({ env: readEnvironment() });

/** Why tests that need a jail cannot run here, or false. */
export const noJail: string | false = jail.level === "reduced" ? `no jail: ${jail.reason}` : false;

export interface RunOptions {
  readonly params?: Record<string, unknown>;
  readonly connection?: string;
  readonly signal?: AbortSignal;
  readonly scope?: Record<string, unknown>;
  readonly runCode?: Execution["runCode"];
  /** Null: no login is lent, as to an operation without a connection. */
  readonly loan?: Loan | null;
}

export class TestSkill implements AsyncDisposable {
  readonly lender: TestLender;
  parts: ExecutorParts;
  readonly skill: Skill;
  /** Everything that was told beside results. */
  readonly warnings: string[] = [];
  /** Everything the executors asked the owner's permission for. */
  readonly asked: Need[] = [];
  /** What the owner allows. */
  allow: (need: Need) => boolean = () => false;
  readonly #folder: Disposable & { path: string };

  private constructor(
    lender: TestLender,
    folder: Disposable & { path: string },
    skill: Skill,
    parts: ExecutorParts,
  ) {
    this.lender = lender;
    this.#folder = folder;
    this.skill = skill;
    this.parts = parts;
  }

  /** `home` is the owner's home folder, which holds Deputy's and is empty otherwise. */
  static async load(
    manifest: object,
    options: { names?: readonly string[]; files?: Record<string, string> } = {},
  ): Promise<TestSkill> {
    const lender = new TestLender(options.names ?? []);
    const folder = temporaryFolder("skill");
    const skillFolder = join(folder.path, "skill");
    const home = join(folder.path, "home");
    const deputyHome = join(home, ".deputy");
    mkdirSync(deputyHome, { recursive: true });
    const files = {
      "skill.yaml": JSON.stringify({ id: "shop", name: "Shop", ...manifest }),
      ...options.files,
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(skillFolder, name)), { recursive: true });
      writeFileSync(join(skillFolder, name), text);
    }
    const loaded = await loadSkill(skillFolder, { origin: "home", expressions: lender.expressions });
    if (loaded.skill === undefined) {
      await lender[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
      throw new Error(loaded.problems.map(describeProblem).join("\n"));
    }
    const parts = { jail, node: process.execPath, env: readEnvironment(), home, deputyHome };
    return new TestSkill(lender, folder, loaded.skill, parts);
  }

  get home(): string {
    return this.parts.home;
  }

  async execution(name: string, options: RunOptions = {}): Promise<Execution> {
    const operation = this.skill.operations.get(name);
    if (operation === undefined) throw new Error(`no operation ${name}`);
    const chosen = options.connection ?? operation.connections[0];
    const connection = chosen === undefined ? null : (this.skill.connections.get(chosen) ?? null);
    const reaches = connection !== null && connection.baseUrl !== null && options.loan === undefined;
    return {
      skill: this.skill,
      operation,
      connection,
      loan: reaches ? await this.lender.lender.lend({ connection }) : (options.loan ?? null),
      scope: {
        params: options.params ?? {},
        data: {},
        cache: {},
        connection: connection === null ? null : connectionScope(connection),
        ...options.scope,
      },
      expressions: this.lender.expressions,
      signal: options.signal ?? new AbortController().signal,
      allows: (need) => {
        this.asked.push(need);
        return this.allow(need);
      },
      denial: (need) => new DeputyError("DENIED", `nobody allowed it to ${inWords(need)}`),
      runCode: options.runCode ?? (() => Promise.reject(new Error("no code here"))),
      warn: (message) => void this.warnings.push(message),
    };
  }

  async run(name: string, options: RunOptions = {}): Promise<unknown> {
    const execution = await this.execution(name, options);
    return execute(execution.operation.executor, execution, this.parts);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lender[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

function inWords(need: Need): string {
  switch (need.kind) {
    case "read":
    case "write":
      return `${need.kind} ${need.path}`;
    case "network":
      return "use the network";
    case "binary":
      return need.name === "keychain" ? "read the keychain" : `start ${need.name}`;
  }
}
