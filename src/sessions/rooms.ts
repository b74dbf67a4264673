import { DeputyError } from "../kernel/index.ts";

export interface SessionLimits {
  readonly concurrent: number;
  readonly perAgent: number;
  /** Without a command for so long, a session's tabs are closed. */
  readonly sleepMs: number;
  /** And after this, it ends. */
  readonly expireMs: number;
  /** How long a session outlives the connection it belongs to. */
  readonly graceMs: number;
}

/** How many sessions there are, whole and by agent: counted from the moment one is asked for. */
export class Rooms {
  readonly #taken = new Map<string, number>();
  readonly #freed = new WeakSet<object>();

  get taken(): number {
    return [...this.#taken.values()].reduce((sum, one) => sum + one, 0);
  }

  /** Throws where there is no room. */
  take(agent: string, { concurrent, perAgent }: Pick<SessionLimits, "concurrent" | "perAgent">): void {
    const own = this.#taken.get(agent) ?? 0;
    const hint = "Dispose of one that is done: deputy session list";
    if (this.taken >= concurrent)
      throw new DeputyError("ENGINE_BUSY", `All ${concurrent} sessions are in use`, { hint });
    if (own >= perAgent)
      throw new DeputyError("ENGINE_BUSY", `${agent} has ${own} sessions, and may have no more`, { hint });
    this.#taken.set(agent, own + 1);
  }

  /** Once for each holder, however often it is said. */
  free(holder: object, agent: string): void {
    if (this.#freed.has(holder)) return;
    this.#freed.add(holder);
    const left = (this.#taken.get(agent) ?? 0) - 1;
    if (left > 0) this.#taken.set(agent, left);
    else this.#taken.delete(agent);
  }
}
