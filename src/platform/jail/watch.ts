import type { Grip } from "./grip.ts";
import type { JailExit, JailLimits } from "./jail.ts";

type Reason = NonNullable<JailExit["stopped"]>;
type Watched = Pick<JailLimits, "wallMs" | "memoryBytes" | "processes" | "outputBytes">;

const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A program without a time limit waits for work: it is ours, and looked at less often. */
const WAITING_FACTOR = 10;

/** Holds one program to its limits and says which one it broke. */
export class Watch implements Disposable {
  readonly #stop: (reason: Reason) => void;
  readonly #grip: Grip;
  readonly #everyMs: number;
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
    this.#everyMs = options.everyMs;
    this.#armWall();
    this.#armLook();
  }

  /** Time and output start anew. */
  limit(limits: Partial<Watched>): void {
    if (this.#over) return;
    this.#limits = { ...this.#limits, ...limits };
    if (limits.outputBytes !== undefined) this.#output = 0;
    if (limits.wallMs === undefined) return;
    this.#armWall();
    this.#armLook();
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

  #armLook(): void {
    clearTimeout(this.#poll);
    const slowly = this.#limits.wallMs === Infinity;
    this.#poll = setTimeout(() => void this.#look(), this.#everyMs * (slowly ? WAITING_FACTOR : 1));
  }

  async #look(): Promise<void> {
    const { memoryBytes, processes } = this.#limits;
    const usage = await this.#grip.usage({ memoryBytes, tasks: processes });
    if (this.#over) return;
    if (usage !== undefined && usage.memoryBytes > memoryBytes) this.#stop("memory");
    else if (usage !== undefined && usage.tasks > processes) this.#stop("processes");
    else this.#grip.giveWay?.();
    this.#armLook();
  }
}
