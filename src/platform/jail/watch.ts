import type { Grip } from "./grip.ts";
import type { JailExit, JailLimits } from "./jail.ts";

type Reason = NonNullable<JailExit["stopped"]>;
type Watched = Pick<JailLimits, "wallMs" | "memoryBytes" | "processes" | "outputBytes">;

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Holds one program to its limits and says which one it broke. */
export class Watch implements Disposable {
  readonly #stop: (reason: Reason) => void;
  readonly #grip: Grip;
  #limits: Watched;
  #wall: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #output = 0;
  #over = false;

  constructor(options: {
    readonly limits: Watched;
    readonly grip: Grip;
    readonly everyMs: number;
    readonly stop: (reason: Reason) => void;
  }) {
    this.#limits = options.limits;
    this.#grip = options.grip;
    this.#stop = options.stop;
    this.#armWall();
    this.#look(options.everyMs);
  }

  /** Time and output start anew. */
  limit(limits: Partial<Watched>): void {
    if (this.#over) return;
    this.#limits = { ...this.#limits, ...limits };
    if (limits.outputBytes !== undefined) this.#output = 0;
    if (limits.wallMs !== undefined) this.#armWall();
  }

  /** False once it is too much. */
  countOutput(bytes: number): boolean {
    this.#output += bytes;
    if (this.#output <= this.#limits.outputBytes) return true;
    this.#stop("output");
    return false;
  }

  [Symbol.dispose](): void {
    this.#over = true;
    clearTimeout(this.#wall);
    clearTimeout(this.#poll);
  }

  #armWall(): void {
    clearTimeout(this.#wall);
    if (this.#limits.wallMs <= LONGEST_TIMER_MS)
      this.#wall = setTimeout(() => this.#stop("wall"), this.#limits.wallMs);
  }

  #look(everyMs: number): void {
    this.#poll = setTimeout(async () => {
      const { memoryBytes, processes } = this.#limits;
      const usage = await this.#grip.usage({ memoryBytes, tasks: processes });
      if (this.#over) return;
      if (usage !== undefined && usage.memoryBytes > this.#limits.memoryBytes) this.#stop("memory");
      else if (usage !== undefined && usage.tasks > this.#limits.processes) this.#stop("processes");
      this.#look(everyMs);
    }, everyMs);
  }
}
