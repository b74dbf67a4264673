import { mkdir, rm } from "node:fs/promises";
import { DeputyError } from "../../kernel/index.ts";
import type { Jail, Jailed, JailExit, JailSpec } from "../../platform/index.ts";
import { FrameReader, type JsonObject } from "./frames.ts";
import { LARGEST_FRAME } from "./host-limits.ts";

const START_MS = 20_000;
/** A skill, its threads and its runtime's; Node alone has ten. */
const TASKS = 64;
/** Until a host has its job. */
const BLANK_OUTPUT = 64 * 1024;

/** A process that waits for its one job: started, warm, and with an empty folder to find a skill in. */
export class Host implements AsyncDisposable {
  readonly folder: string;
  readonly memoryBytes: number;
  readonly #jailed: Jailed;
  readonly #frames = new FrameReader(LARGEST_FRAME);
  #onFrame: (frame: JsonObject, bytes: number) => void;
  #onBroken: (error: unknown) => void = () => this.kill();
  #exit: JailExit | undefined;
  #said = "";

  static async start(jail: Jail, spec: JailSpec, folder: string, memoryBytes: number): Promise<Host> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const jailed = await jail.start({
      ...spec,
      pipes: true,
      limits: {
        wallMs: START_MS,
        memoryBytes,
        processes: TASKS,
        outputBytes: BLANK_OUTPUT,
        fileBytes: 64 * 1024 * 1024,
        openFiles: 256,
      },
    });
    const ready = Promise.withResolvers<void>();
    const host = new Host(jailed, folder, memoryBytes, ready.resolve);
    await Promise.race([ready.promise, jailed.exited]);
    if (host.#exit !== undefined) {
      await host[Symbol.asyncDispose]();
      throw new DeputyError("INTERNAL", "Cannot start a process for the skill's code", {
        hint: host.#said.trim().split("\n").at(-1) ?? undefined,
      });
    }
    jailed.limit({ wallMs: Infinity });
    return host;
  }

  private constructor(jailed: Jailed, folder: string, memoryBytes: number, onReady: () => void) {
    this.folder = folder;
    this.memoryBytes = memoryBytes;
    this.#jailed = jailed;
    this.#onFrame = onReady;
    const { toChild, fromChild } = jailed;
    if (toChild === undefined || fromChild === undefined) throw new TypeError("A host needs its pipes");
    jailed.stdin.on("error", () => {}).end();
    // It may be gone before it has read what we say.
    for (const stream of [toChild, fromChild, jailed.stdout, jailed.stderr]) stream.on("error", () => {});
    fromChild.on("data", (chunk: Buffer) => {
      try {
        for (const { frame, bytes } of this.#frames.read(chunk)) this.#onFrame(frame, bytes);
      } catch (error) {
        fromChild.removeAllListeners("data").resume();
        this.#onBroken(error);
      }
    });
    jailed.stdout.on("data", () => {});
    jailed.stderr.on("data", (chunk: Buffer) => (this.#said = (this.#said + chunk.toString()).slice(-4096)));
    void jailed.exited.then((exit) => (this.#exit = exit));
  }

  get alive(): boolean {
    return this.#exit === undefined;
  }

  get exited(): Promise<JailExit> {
    return this.#jailed.exited;
  }

  /** When it is ended or ends: a killed process may take a while to be gone, and nobody has to wait for that. */
  get over(): Promise<JailExit> {
    const { ending, exited } = this.#jailed;
    return Promise.race([
      exited,
      ending.then((stopped) => ({ status: null, signal: null, stopped, said: "" })),
    ]);
  }

  get pid(): number {
    return this.#jailed.pid;
  }

  /** How much of what was sent it has not read. */
  get unread(): number {
    return this.#jailed.toChild?.writableLength ?? 0;
  }

  assign(to: {
    limits: { wallMs: number; memoryBytes: number; outputBytes: number };
    onFrame: (frame: JsonObject, bytes: number) => void;
    onBroken: (error: unknown) => void;
    onOutput: (stream: "stdout" | "stderr", chunk: Buffer) => void;
  }): void {
    this.#onFrame = to.onFrame;
    this.#onBroken = to.onBroken;
    for (const name of ["stdout", "stderr"] as const)
      this.#jailed[name].on("data", (chunk: Buffer) => {
        try {
          to.onOutput(name, chunk);
        } catch (error) {
          to.onBroken(error);
        }
      });
    this.#jailed.limit(to.limits);
  }

  send(frame: JsonObject): void {
    if (this.alive) this.#jailed.toChild?.write(`${JSON.stringify(frame)}\n`);
  }

  kill(): void {
    this.#jailed.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Whoever waits for the run's answer comes first; nobody listens to the process any more.
    await new Promise((done) => setImmediate(done));
    this.kill();
    await this.#jailed.exited;
    await rm(this.folder, { recursive: true, force: true });
  }
}
