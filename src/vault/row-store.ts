import { DeputyError, type RowKey, type Secret } from "../kernel/index.ts";
import type { Database } from "../platform/index.ts";
import { damaged } from "./header.ts";
import type { KeyRing } from "./key-ring.ts";
import { openRow, type Row, type RowMeta, sealRow } from "./sealed-row.ts";
import { SeenVersions } from "./seen-versions.ts";
import type { State, StateStore } from "./state.ts";
import {
  asKey,
  asStored,
  asVersion,
  COLUMNS,
  CONTENT,
  KEY_VERSION,
  nameOf,
  type StoredRow,
  VERSION,
} from "./stored-row.ts";
import { Tally } from "./tally.ts";

const FIND = `SELECT ${CONTENT} FROM rows WHERE domain = ? AND identifier = ? AND item_type = ?`;
const FIND_VERSION = `SELECT ${VERSION} FROM rows WHERE domain = ? AND identifier = ? AND item_type = ?`;

/** The rows, and the one line of state that must change with them. Every writer here runs inside `transaction`. */
export class RowStore {
  readonly db: Database;
  readonly ring: KeyRing;
  readonly #state: StateStore;
  readonly #tally: Tally;
  readonly #vaultId: Uint8Array;
  /** The highest version met of each row while this process runs: an older one is a rollback. */
  readonly #seen = new SeenVersions();
  #seenEpoch = 0;
  /** What the transaction under way has written: seen only once it is committed. */
  readonly #written: { key: RowKey; version: number }[] = [];
  #writtenEpoch = 0;
  #durableEpoch: number | undefined;

  constructor(parts: { db: Database; ring: KeyRing; state: StateStore; tally: Tally; vaultId: Uint8Array }) {
    this.db = parts.db;
    this.ring = parts.ring;
    this.#state = parts.state;
    this.#tally = parts.tally;
    this.#vaultId = parts.vaultId;
  }

  /** All of `work` or nothing of it. A write that failed must not make the row it left look rolled back. */
  transaction<T>(work: () => T, options: { durable?: boolean } = {}): T {
    try {
      const result = this.db.transaction(work, options);
      for (const { key, version } of this.#written) this.#seen.set(key, version);
      if (this.#writtenEpoch > 0 && options.durable !== false) this.#durableEpoch = undefined;
      // Until here the epoch seen is the one the transaction began with.
      else if (this.#writtenEpoch > 0) this.#durableEpoch ??= this.#seenEpoch;
      this.#seenEpoch = Math.max(this.#seenEpoch, this.#writtenEpoch);
      return result;
    } finally {
      this.#written.length = 0;
      this.#writtenEpoch = 0;
    }
  }

  /** The epoch before the first write that may not be on the disk yet; undefined where all are. */
  get durableEpoch(): number | undefined {
    return this.#durableEpoch;
  }

  find(key: RowKey): StoredRow | undefined {
    const row = this.db.get(FIND, key.domain, key.identifier, key.itemType);
    return row === undefined ? undefined : asStored(key, row);
  }

  /** Without reading the row itself. Undefined when there is none. */
  findVersion(key: RowKey): number | undefined {
    const row = this.db.get(FIND_VERSION, key.domain, key.identifier, key.itemType);
    return row && asVersion(row["version"]);
  }

  *all(): Generator<StoredRow> {
    for (const row of this.db.iterate(`SELECT ${COLUMNS} FROM rows ORDER BY domain, identifier, item_type`)) {
      yield asStored(asKey(row), row);
    }
  }

  /** All rows without what is in them, which proves nothing. */
  versions(): Omit<StoredRow, "sealed">[] {
    const sql = `SELECT domain, identifier, item_type, ${VERSION}, ${KEY_VERSION} FROM rows ORDER BY domain, identifier, item_type`;
    return this.db.all(sql).map((row) => asStored(asKey(row), row));
  }

  ofIdentity(domain: string, identifier: string): StoredRow[] {
    return this.db
      .all(`SELECT ${COLUMNS} FROM rows WHERE domain = ? AND identifier = ?`, domain, identifier)
      .map((row) => asStored(asKey(row), row));
  }

  keysOf(domain: string): RowKey[] {
    const sql =
      "SELECT domain, identifier, item_type FROM rows WHERE domain = ? ORDER BY identifier, item_type";
    return this.db.all(sql, domain).map(asKey);
  }

  /** Rows not yet sealed under `keyVersion`, a few at a time. `after` passes over rows that cannot be opened. */
  notUnder(keyVersion: number, limit: number, after: number): { rowid: number; row: StoredRow }[] {
    const sql = `SELECT rowid, ${COLUMNS} FROM rows WHERE key_version <> ? AND rowid > ? ORDER BY rowid LIMIT ?`;
    return this.db
      .all(sql, keyVersion, after, limit)
      .map((row) => ({ rowid: Number(row["rowid"]), row: asStored(asKey(row), row) }));
  }

  open(stored: StoredRow): Row {
    const opened = this.tryOpen(stored);
    if (opened instanceof DeputyError) throw opened;
    return opened;
  }

  /** The row, or why it is refused. */
  tryOpen(stored: StoredRow): Row | DeputyError {
    const opened = this.#unseal(stored);
    const seen = this.#seen.get(stored.key);
    if (opened === undefined) {
      const now = this.find(stored.key);
      // Between reading the row and its key another process may have sealed it anew and destroyed that key.
      if (now !== undefined && (now.keyVersion > stored.keyVersion || now.version > stored.version)) {
        return this.tryOpen(now);
      }
      return new DeputyError(
        "VAULT_DAMAGED",
        `The ${nameOf(stored.key)} does not prove itself and was not opened`,
        {
          hint: "See deputy vault verify. Removing it and logging in again mends it.",
        },
      );
    }
    if (stored.version < seen) {
      opened.value[Symbol.dispose]();
      return new DeputyError("VAULT_ROLLED_BACK", `The ${nameOf(stored.key)} is older than one seen before`, {
        hint: "Somebody put an old copy in place. See deputy vault verify.",
      });
    }
    if (stored.version > seen) {
      this.#seen.set(stored.key, stored.version);
      this.#seenEpoch = Math.max(this.#seenEpoch, stored.version);
    }
    return opened;
  }

  #unseal(stored: StoredRow) {
    const dataKey = stored.version < 1 ? undefined : this.ring.find(stored.keyVersion);
    const { key, version, keyVersion } = stored;
    return dataKey && openRow(dataKey, stored.sealed, { vaultId: this.#vaultId, key, version, keyVersion });
  }

  /** The state, proven and not older than what this process has seen. */
  state(): State {
    const state = this.#state.read();
    if (state.epoch < this.#seenEpoch) {
      throw new DeputyError(
        "VAULT_ROLLED_BACK",
        "An older copy of the vault was put in place while it was in use",
        {
          hint: "Stop the engine (deputy engine stop), put the newest copy back, or accept this one: deputy vault verify --accept",
        },
      );
    }
    this.#seenEpoch = state.epoch;
    return state;
  }

  /** Undefined when it does not prove itself. */
  findState(): State | undefined {
    try {
      return this.#state.read();
    } catch (error) {
      if (error instanceof DeputyError) return undefined;
      throw error;
    }
  }

  /** The highest version of a row that opens: any other number in the file may be made up. */
  newestProven(): number {
    let newest = 0;
    for (const stored of this.all()) {
      const opened = this.tryOpen(stored);
      if (opened instanceof DeputyError) continue;
      opened.value[Symbol.dispose]();
      newest = Math.max(newest, opened.version);
    }
    return newest;
  }

  /** Writes a row and gives the state that goes with it; the caller writes the state at the end. */
  write(state: State, key: RowKey, value: Secret, meta: RowMeta): State {
    const without = this.#without(state, key);
    const version = state.epoch + 1;
    this.#insert(key, version, state.activeKey, value, meta);
    this.#written.push({ key, version });
    return {
      ...without,
      epoch: version,
      count: without.count + 1,
      tally: this.#tally.add(without.tally, key, version),
    };
  }

  erase(state: State, key: RowKey): State {
    const without = this.#without(state, key);
    this.db.run(
      "DELETE FROM rows WHERE domain = ? AND identifier = ? AND item_type = ?",
      key.domain,
      key.identifier,
      key.itemType,
    );
    const epoch = state.epoch + 1;
    this.#written.push({ key, version: epoch }); // whatever is put back in its place is older than its removal
    return { ...without, epoch };
  }

  /** The same content and version under the active key: what rotation does. */
  reseal(row: Row, keyVersion: number): void {
    this.#insert(row.key, row.version, keyVersion, row.value, row.meta);
  }

  saveState(state: State): void {
    this.#state.write(state);
    this.#writtenEpoch = state.epoch;
  }

  /** What the state should say of the rows that are there now. Also remembers their versions. */
  count(): { count: number; tally: Uint8Array } {
    let count = 0;
    let tally = Tally.zero;
    // By the index that `find` uses: a row the index has lost is a row nobody can find, so it must not count.
    const sql = `SELECT domain, identifier, item_type, ${VERSION} FROM rows INDEXED BY sqlite_autoindex_rows_1
      ORDER BY domain, identifier, item_type`;
    for (const row of this.db.iterate(sql)) {
      const key = asKey(row);
      const version = asVersion(row["version"]);
      tally = this.#tally.add(tally, key, version);
      count += 1;
      if (version > this.#seen.get(key)) this.#seen.set(key, version);
    }
    return { count, tally };
  }

  /** The highest version or epoch met while this process runs. */
  get newestSeen(): number {
    return this.#seenEpoch;
  }

  /** The owner accepts what is there: what was seen before no longer counts. */
  forgetSeen(): void {
    this.#seen.clear();
    this.#seenEpoch = 0;
  }

  #without(state: State, key: RowKey): State {
    const version = this.findVersion(key);
    if (version === undefined) return state;
    return { ...state, count: state.count - 1, tally: this.#tally.subtract(state.tally, key, version) };
  }

  #insert(key: RowKey, version: number, keyVersion: number, value: Secret, meta: RowMeta): void {
    const dataKey = this.ring.find(keyVersion);
    if (dataKey === undefined) throw damaged("the key for new rows is missing from its ring");
    const sealed = sealRow(dataKey, value, meta, { vaultId: this.#vaultId, key, version, keyVersion });
    this.db.run(
      `INSERT INTO rows (domain, identifier, item_type, version, key_version, sealed) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (domain, identifier, item_type) DO UPDATE SET
         version = excluded.version, key_version = excluded.key_version, sealed = excluded.sealed`,
      key.domain,
      key.identifier,
      key.itemType,
      version,
      keyVersion,
      sealed,
    );
  }
}
