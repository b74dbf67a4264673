import { childrenOf, memoryOfFiles, NOTHING, ProcessUsage, type Usage, usageBelow } from "./usage.ts";

/** /tmp fills slower than memory, and is looked at less often. */
const LOOKS_PER_LOOK_AT_FILES = 5;

/** What a jail uses, seen from its process 1. Dozens of jails are looked at many times a second. */
export class NamespaceUsage implements Disposable {
  readonly #init: number;
  readonly #mayFork: boolean;
  /** The program, where there can be no other process. */
  #program: ProcessUsage | undefined;
  #looks = 0;
  #files = 0;

  constructor(init: number, mayFork: boolean) {
    this.#init = init;
    this.#mayFork = mayFork;
  }

  read(enough: Usage): Usage {
    const { memoryBytes, tasks } = this.#mayFork ? usageBelow(this.#init, enough) : this.#readProgram();
    // Before there is a program, process 1 may still see the machine's own /tmp.
    if (tasks > 0 && this.#looks++ % LOOKS_PER_LOOK_AT_FILES === 0)
      this.#files = memoryOfFiles(`/proc/${this.#init}/root/tmp`);
    return { memoryBytes: memoryBytes + this.#files, tasks };
  }

  [Symbol.dispose](): void {
    this.#program?.[Symbol.dispose]();
    this.#program = undefined;
  }

  #readProgram(): Usage {
    const [program] = this.#program === undefined ? childrenOf(this.#init, false, 1) : [];
    if (program !== undefined) this.#program = ProcessUsage.open(program);
    return this.#program?.read() ?? NOTHING;
  }
}
