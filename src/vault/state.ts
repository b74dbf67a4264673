import { createHmac, timingSafeEqual } from "node:crypto";
import { DeputyError, type Secret } from "../kernel/index.ts";
import type { Database } from "../platform/index.ts";
import { encodeFields, FORMAT } from "./binding.ts";

/** One line that stands for all rows. It changes in the same transaction as they do. */
export interface State {
  /** Counts every write ever made. A row's version is the epoch of its last write, so none is ever used twice. */
  readonly epoch: number;
  readonly count: number;
  readonly tally: Uint8Array;
  readonly activeKey: number;
}

export class StateStore {
  readonly #db: Database;
  readonly #key: Secret;
  readonly #vaultId: Uint8Array;

  constructor(db: Database, key: Secret, vaultId: Uint8Array) {
    this.#db = db;
    this.#key = key;
    this.#vaultId = vaultId;
  }

  read(): State {
    const row = this.#db.get("SELECT epoch, count, tally, active_key, mac FROM state WHERE id = 1");
    const { epoch, count, tally, active_key: activeKey, mac } = row ?? {};
    if (
      isInteger(epoch) &&
      isInteger(count) &&
      isInteger(activeKey) &&
      tally instanceof Uint8Array &&
      mac instanceof Uint8Array
    ) {
      const state = { epoch, count, tally, activeKey };
      const right = this.#mac(state);
      if (mac.length === right.length && timingSafeEqual(mac, right)) return state;
    }
    throw new DeputyError(
      "VAULT_TAMPERED",
      "The vault's record of its rows was changed behind Deputy's back",
      {
        hint: "See what is left with deputy vault verify; deputy vault verify --accept takes it as it is.",
      },
    );
  }

  /** Inside a transaction. */
  write(state: State): void {
    this.#db.run(
      "INSERT OR REPLACE INTO state (id, epoch, count, tally, active_key, mac) VALUES (1, ?, ?, ?, ?, ?)",
      state.epoch,
      state.count,
      state.tally,
      state.activeKey,
      this.#mac(state),
    );
  }

  #mac(state: State): Buffer {
    const fields = [this.#vaultId, state.epoch, state.count, state.tally, state.activeKey] as const;
    return createHmac("sha256", this.#key.bytes())
      .update(encodeFields("deputy-state", FORMAT, ...fields))
      .digest();
  }
}

/** STRICT holds while writing only: a damaged file may have anything here. */
function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
