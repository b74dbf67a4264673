import type { Identity } from "../kernel/index.ts";
import type { Connection } from "./connection.ts";
import type { Placed } from "./place-credential.ts";

interface Kept {
  readonly version: number;
  readonly placed: Placed;
}

/** Placements as they came out last: a key that has not changed goes where it went, without asking jq again. */
export class PlacementShelf {
  readonly #kept = new WeakMap<Connection, Map<string, Kept>>();

  async place(
    connection: Connection,
    { identifier }: Identity,
    version: number,
    evaluate: () => Promise<Placed>,
  ): Promise<Placed> {
    const ofConnection = this.#kept.getOrInsertComputed(connection, () => new Map<string, Kept>());
    const known = ofConnection.get(identifier);
    if (known?.version === version) return known.placed;
    const placed = await evaluate();
    ofConnection.set(identifier, { version, placed });
    return placed;
  }

  /** The owner removed the key: nothing of it stays. */
  forget(connection: Connection): void {
    this.#kept.delete(connection);
  }
}
