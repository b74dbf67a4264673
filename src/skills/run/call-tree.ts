import { DeputyError } from "../../kernel/index.ts";
import type { HostPool } from "../hosts/host-pool.ts";
import { hostLimits } from "../hosts/host-limits.ts";

/** Operations that call siblings that call siblings. */
const DEEPEST = 8;
/** Hosts of one tree at once: each is a process. */
const MOST_HOSTS = 8;

interface Shared {
  holdsLogin: boolean;
  requests: number;
  readonly running: Set<CallTree>;
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly node: CallTree;
  readonly admit: () => void;
}

/**
 * A run and the siblings it calls. What one of them reads with a login all of them can know, so that none of them goes
 * where any host may be contacted; and all of them together have what one run may have of processes and requests.
 */
export class CallTree {
  readonly #depth: number;
  readonly #shared: Shared;
  readonly #parent: CallTree | undefined;
  readonly #urgent: boolean;
  /** Siblings it called that have a host or wait for one. */
  #calls = 0;

  private constructor(depth: number, shared: Shared, parent: CallTree | undefined, urgent: boolean) {
    this.#depth = depth;
    this.#shared = shared;
    this.#parent = parent;
    this.#urgent = urgent;
  }

  /** `urgent`: another run waits for this one, and may hold a host meanwhile. */
  static begin({ urgent = false } = {}): CallTree {
    const shared = { holdsLogin: false, requests: 0, running: new Set<CallTree>(), waiting: [] };
    return new CallTree(0, shared, undefined, urgent);
  }

  deeper(skill: string): CallTree {
    if (this.#depth < DEEPEST) return new CallTree(this.#depth + 1, this.#shared, this, true);
    throw new DeputyError("SKILL_FAILED", `${skill}: its operations call each other without end`, {
      hint: `At most ${DEEPEST} deep.`,
    });
  }

  holdLogin(): void {
    this.#shared.holdsLogin = true;
  }

  requireNobody(skill: string): void {
    if (!this.#shared.holdsLogin) return;
    throw new DeputyError("DENIED", `${skill} may not reach any host while it holds a login`, {
      hint: "Its operations that use the open web are run by themselves.",
    });
  }

  /** The pool, within what the tree may have of it. */
  hosts(pool: HostPool): Pick<HostPool, "run"> {
    return {
      run: async (job) => {
        if (this.#parent !== undefined) this.#parent.#calls++;
        try {
          await this.#enter(job.signal, job.context.skill);
          return await pool.run({ ...job, urgent: this.#urgent, spend: () => this.#spend() });
        } finally {
          if (this.#parent !== undefined) this.#parent.#calls--;
          this.#leave();
        }
      },
    };
  }

  #spend(): boolean {
    return ++this.#shared.requests <= hostLimits.requests;
  }

  async #enter(signal: AbortSignal, skill: string): Promise<void> {
    const { running, waiting } = this.#shared;
    if (running.size < MOST_HOSTS) return void running.add(this);
    // Each of them waits for one that waits for a host: none would ever come free.
    if ([...running].every((one) => one.#calls > 0)) {
      throw new DeputyError("TOO_LARGE", `${skill}: its operations call each other too many times at once`, {
        hint: `At most ${MOST_HOSTS} of them run at once.`,
      });
    }
    const turn = Promise.withResolvers<void>();
    const place: Waiting = { node: this, admit: turn.resolve };
    const giveUp = () => {
      waiting.splice(waiting.indexOf(place), waiting.includes(place) ? 1 : 0);
      turn.reject(new DeputyError("CANCELLED", `${skill}: the run was cancelled`));
    };
    waiting.push(place);
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  #leave(): void {
    const { running, waiting } = this.#shared;
    if (!running.delete(this)) return;
    const next = waiting.shift();
    if (next === undefined) return;
    running.add(next.node);
    next.admit();
  }
}
