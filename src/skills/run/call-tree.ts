import { DeputyError } from "../../kernel/index.ts";

/** Operations that call siblings that call siblings. */
const DEEPEST = 8;

/**
 * A run and the siblings it calls. What one of them reads with a login all of them can know, so that none of them goes
 * where any host may be contacted.
 */
export class CallTree {
  readonly #depth: number;
  readonly #shared: { holdsLogin: boolean };

  constructor(depth = 0, shared = { holdsLogin: false }) {
    this.#depth = depth;
    this.#shared = shared;
  }

  deeper(skill: string): CallTree {
    if (this.#depth < DEEPEST) return new CallTree(this.#depth + 1, this.#shared);
    throw new DeputyError("SKILL_FAILED", `${skill}: its operations call each other without end`);
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
}
