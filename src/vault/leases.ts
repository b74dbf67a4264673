import { randomBytes } from "node:crypto";
import type { Clock, Identity } from "../kernel/index.ts";
import { LEASES } from "./schema.ts";
import type { RowStore } from "./row-store.ts";

/** What only one process at a time may do for an identity. */
export type LeasePurpose = "refresh" | "login";

/** Longer ones are cut to this, and an end further away is not believed: a clock set back must lock nobody out. */
export const LONGEST_LEASE_MS = 15 * 60_000;

const OURS = "domain = ? AND identifier = ? AND purpose = ? AND holder = ?";

/** Undefined while somebody else holds it. Whoever is killed holds it until its time is over, and no longer. */
export function takeLease(
  rows: RowStore,
  clock: Clock,
  what: Identity & { readonly purpose: LeasePurpose },
  ms: number,
): VaultLease | undefined {
  const holder = randomBytes(16);
  const taken = rows.transaction(() => {
    const now = Math.floor(clock.now());
    rows.db.exec(LEASES.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS")); // older vaults have none
    rows.db.run("DELETE FROM leases WHERE until <= ? OR until > ?", now, now + LONGEST_LEASE_MS);
    return rows.db.run(
      "INSERT INTO leases (domain, identifier, purpose, holder, until) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      what.domain,
      what.identifier,
      what.purpose,
      holder,
      endOf(now, ms),
    );
  });
  return taken === 1 ? new VaultLease(rows, clock, what, holder) : undefined;
}

/** Only its holder can lengthen or release it, by a random token: one who was too slow cannot touch the next one's. */
export class VaultLease implements Disposable {
  readonly #rows: RowStore;
  readonly #clock: Clock;
  readonly #key: readonly [string, string, string, Uint8Array];

  constructor(
    rows: RowStore,
    clock: Clock,
    what: Identity & { readonly purpose: LeasePurpose },
    holder: Uint8Array,
  ) {
    this.#rows = rows;
    this.#clock = clock;
    this.#key = [what.domain, what.identifier, what.purpose, holder];
  }

  /** From now on for `ms`. False when it was lost: its time was over, and somebody else may have taken it. */
  renew(ms: number): boolean {
    return this.#rows.transaction(() => {
      const now = Math.floor(this.#clock.now());
      const sql = `UPDATE leases SET until = ? WHERE ${OURS} AND until > ?`;
      return this.#rows.db.run(sql, endOf(now, ms), ...this.#key, now) === 1;
    });
  }

  [Symbol.dispose](): void {
    try {
      this.#rows.db.run(`DELETE FROM leases WHERE ${OURS}`, ...this.#key);
    } catch {} // It ends by itself; what was done under it must not fail because of this.
  }
}

function endOf(now: number, ms: number): number {
  // Not `<= 0`: nothing is smaller than NaN.
  if (!(ms > 0)) throw new TypeError("A lease lasts some time");
  return now + Math.min(Math.ceil(ms), LONGEST_LEASE_MS);
}
