import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { DeputyError } from "../../kernel/index.ts";
import { isRunning, type Jail, type JailSpec } from "../../platform/index.ts";
import type { CodeJob, CodeOutcome } from "./code-job.ts";
import type { PythonInstallation } from "./find-python.ts";
import { Gate } from "./gate.ts";
import { Host } from "./host.ts";
import { hostLimits } from "./host-limits.ts";
import { type HostPlace, nodeHost, pythonHost } from "./host-program.ts";
import { type HostRuntime, stageRuntime } from "./host-runtime.ts";
import { HostRun } from "./host-run.ts";
import { SkillShelf } from "./skill-shelf.ts";

const IDLE_MS = 10 * 60_000;
const AFTER_MS = 20;

type Language = CodeJob["language"];

export interface HostPoolOptions {
  readonly jail: Jail;
  /** The path of a Node that knows the permission model, such as this process's own. */
  readonly node: string;
  /** Or how to find it, when a Python skill runs for the first time: that takes a process. */
  readonly python?: PythonInstallation | (() => Promise<PythonInstallation | undefined>) | undefined;
  /** How many blank hosts of a language wait, once one of it was asked for. */
  readonly size?: number;
  readonly memoryBytes?: number;
  /** How many runs have a host at once; the others wait in order. */
  readonly atOnce?: number;
  /** Blank hosts that nobody needed for so long are given up: each holds some 15 MB. */
  readonly idleMs?: number;
  /** Where it makes a folder for its files. Without one: the system's place for such. */
  readonly folder?: string;
}

interface Home {
  readonly folder: string;
  readonly runtime: HostRuntime;
  readonly shelf: SkillShelf;
}

/** Blank hosts in waiting, one for each run and none for two. Start it with the environment clean: nothing is passed on. */
export class HostPool implements AsyncDisposable {
  readonly #options: HostPoolOptions;
  readonly #size: number;
  readonly #memoryBytes: number;
  readonly #blanks = new Map<Language, Promise<Host>[]>();
  readonly #idle = new Map<Language, NodeJS.Timeout>();
  readonly #soon = new Set<NodeJS.Timeout>();
  readonly #starting = new Set<Promise<Host>>();
  readonly #running = new Set<Host>();
  readonly #ending = new Set<Promise<void>>();
  #home: Promise<Home> | undefined;
  #python: Promise<PythonInstallation | undefined> | undefined;
  /** Fifty that start together are all ready when the last one is. */
  readonly #starts = new Gate(2 * availableParallelism());
  readonly #runs: Gate;
  #made = 0;
  #disposed = false;

  constructor(options: HostPoolOptions) {
    this.#options = options;
    this.#size = options.size ?? 2;
    this.#runs = new Gate(options.atOnce ?? Math.max(8, 2 * availableParallelism()));
    this.#memoryBytes = options.memoryBytes ?? hostLimits.memoryBytes;
  }

  /** Has blank hosts ready. Without it the first run of a language waits for its own. */
  async warm(language: Language): Promise<void> {
    this.#refill(language);
    await Promise.all(this.#waiting(language));
  }

  async run(job: CodeJob): Promise<CodeOutcome> {
    if (this.#disposed) throw stopping();
    if (!job.files.files.has(job.module.replace(/^(\.\/)+/, "")))
      throw new DeputyError("NOT_FOUND", `The skill has no file ${job.module}`, {
        hint: "See what is wrong with it: deputy skills validate ID",
      });
    const { shelf } = await this.#prepare();
    const start = () => this.#runNow(job, shelf);
    return job.urgent === true ? start() : this.#runs.pass(start, job.signal);
  }

  async #runNow(job: CodeJob, shelf: SkillShelf): Promise<CodeOutcome> {
    if (this.#disposed) throw stopping();
    const host = await this.#take(job);
    if (this.#disposed) {
      this.#end(host);
      throw stopping();
    }
    this.#running.add(host);
    this.#refillSoon(job.language);
    try {
      await shelf.place(job.files, host.folder);
      return await new HostRun(host, job).outcome();
    } finally {
      this.#running.delete(host);
      this.#end(host);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    for (const timer of [...this.#idle.values(), ...this.#soon]) clearTimeout(timer);
    for (const language of this.#blanks.keys()) this.#giveUp(language);
    while (this.#starting.size + this.#running.size + this.#ending.size > 0) {
      for (const host of this.#running) host.kill();
      await Promise.allSettled([...this.#starting, ...this.#ending]);
      await Promise.all([...this.#running].map((host) => host.exited));
      await new Promise((done) => setImmediate(done));
    }
    const home = await this.#home?.catch(() => undefined);
    if (home !== undefined) await rm(home.folder, { recursive: true, force: true });
  }

  async #take(job: CodeJob): Promise<Host> {
    const blank = job.paths.length === 0 && job.limits.memoryBytes <= this.#memoryBytes;
    const waiting = this.#waiting(job.language);
    for (let next = blank ? waiting.shift() : undefined; next !== undefined; next = waiting.shift()) {
      const host = await next.catch(() => undefined);
      if (host?.alive === true) return host;
      this.#end(host);
    }
    return this.#start(job.language, job.paths, Math.max(job.limits.memoryBytes, this.#memoryBytes));
  }

  #waiting(language: Language): Promise<Host>[] {
    return this.#blanks.getOrInsertComputed(language, () => []);
  }

  /** Starting a process holds this one up: not while a short run is under way or its answer on its way out. */
  #refillSoon(language: Language): void {
    const timer = setTimeout(
      () => {
        this.#soon.delete(timer);
        this.#refill(language);
      },
      this.#waiting(language).length > 0 ? AFTER_MS : 0,
    );
    this.#soon.add(timer);
  }

  #refill(language: Language): void {
    const waiting = this.#waiting(language);
    clearTimeout(this.#idle.get(language));
    if (!this.#disposed)
      this.#idle.set(
        language,
        setTimeout(() => this.#giveUp(language), this.#options.idleMs ?? IDLE_MS).unref(),
      );
    while (!this.#disposed && waiting.length < this.#size) {
      const blank = this.#start(language, [], this.#memoryBytes);
      waiting.push(blank);
      blank.catch(() => waiting.splice(waiting.indexOf(blank), waiting.includes(blank) ? 1 : 0));
    }
  }

  #giveUp(language: Language): void {
    for (const blank of this.#waiting(language).splice(0))
      void blank.then(
        (host) => this.#end(host),
        () => {},
      );
  }

  async #start(language: Language, paths: readonly string[], memoryBytes: number): Promise<Host> {
    const { folder: home, runtime } = await this.#prepare();
    const folder = join(home, `host-${++this.#made}`);
    const place: HostPlace = { runtime, folder, paths, memoryBytes };
    const spec = await this.#spec(language, place);
    const host = this.#starts.pass(() => Host.start(this.#options.jail, spec, folder, memoryBytes));
    this.#starting.add(host);
    try {
      return await host;
    } finally {
      this.#starting.delete(host);
    }
  }

  async #spec(language: Language, place: HostPlace): Promise<JailSpec> {
    const { jail, node, python: given } = this.#options;
    if (language === "typescript") return nodeHost(node, place);
    if (jail.level === "reduced")
      throw new DeputyError(
        "UNSUPPORTED",
        "Python skills cannot run here: this system has no sandbox for them",
        {
          hint: jail.reason,
        },
      );
    const python = await (this.#python ??= typeof given === "function" ? given() : Promise.resolve(given));
    if (python === undefined) {
      this.#python = undefined; // looked for again once it is installed
      throw new DeputyError("UNSUPPORTED", "Python skills cannot run here: there is no Python 3.9 or newer", {
        hint: "Install python3.",
      });
    }
    return pythonHost(python, place);
  }

  #prepare(): Promise<Home> {
    this.#home ??= makeHome(this.#options.folder ?? tmpdir()).catch((error: unknown) => {
      this.#home = undefined;
      throw error;
    });
    return this.#home;
  }

  #end(host: Host | undefined): void {
    if (host === undefined) return;
    // A folder that cannot be removed now goes with the others: nobody waits for this, and it must not end the engine.
    const ending = host[Symbol.asyncDispose]()
      .catch(() => {})
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

async function makeHome(place: string): Promise<Home> {
  const within = await realpath(place);
  await removeLeftovers(within);
  const folder = await mkdtemp(join(within, `deputy-hosts-${process.pid}-`));
  const runtime = await stageRuntime(join(folder, "runtime"));
  return { folder, runtime, shelf: new SkillShelf(join(folder, "skills")) };
}

function stopping(): DeputyError {
  return new DeputyError("CANCELLED", "Deputy is stopping: the skill was not run");
}

/** Of processes that were ended before they could clean up. */
async function removeLeftovers(within: string): Promise<void> {
  for (const name of await readdir(within)) {
    const pid = Number(/^deputy-hosts-(\d+)-/.exec(name)?.[1] ?? process.pid);
    // Another user's folder stays: it is theirs to remove.
    if (!isRunning(pid)) await rm(join(within, name), { recursive: true, force: true }).catch(() => {});
  }
}
