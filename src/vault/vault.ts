import { randomBytes } from "node:crypto";
import { type Clock, DeputyError, type Identity, type RowKey, type Secret } from "../kernel/index.ts";
import { Database } from "../platform/index.ts";
import { checkHeader, damaged, deriveKey, type Header, readHeader, writeHeader } from "./header.ts";
import { KeyRing } from "./key-ring.ts";
import { type LeasePurpose, takeLease, type VaultLease } from "./leases.ts";
import { type NewMeta, type NewRow, type Put, putRows } from "./put-rows.ts";
import { RowStore } from "./row-store.ts";
import { rotate, type RotateOptions, type Rotation, sweep, unfinishedRotation } from "./rotation.ts";
import { createGlance, type RowSummary, summarizeRows } from "./row-summaries.ts";
import { SCHEMA } from "./schema.ts";
import type { Row } from "./sealed-row.ts";
import { StateStore } from "./state.ts";
import { nameOf, type StoredRow } from "./stored-row.ts";
import { Tally } from "./tally.ts";
import { checkRows, requireAllRows, type Verification, verifyVault } from "./verification.ts";

export interface OpenVault {
  readonly path: string;
  readonly kek: Secret;
  readonly clock: Clock;
  /** The highest epoch known from elsewhere (the keyring): a file behind it was rolled back. */
  readonly knownEpoch?: number | undefined;
  /** How long to wait for other processes. Default: a minute. */
  readonly patienceMs?: number;
}

/**
 * The encrypted store of logins. Safe to open in many processes at once. All calls are synchronous: they cost
 * microseconds, and a write is on disk when it returns.
 */
export class Vault implements Disposable {
  readonly #rows: RowStore;
  readonly #glance: () => RowSummary[];
  readonly #clock: Clock;
  readonly #secrets: Disposable[];
  readonly id: string;
  readonly #knownEpoch: number;
  #problem: DeputyError | undefined;

  private constructor(rows: RowStore, id: string, options: OpenVault, secrets: Disposable[]) {
    this.#rows = rows;
    this.#glance = createGlance(rows);
    this.#clock = options.clock;
    this.#secrets = secrets;
    this.#knownEpoch = options.knownEpoch ?? 0;
    this.id = id;
    this.#problem = checkRows(rows, this.#knownEpoch);
  }

  /** Makes a vault at `path`. Fails if one is there: a vault is never overwritten. */
  static create(path: string, header: Omit<Header, "vaultId"> & { vaultId?: Buffer }, kek: Secret): void {
    const vaultId = header.vaultId ?? randomBytes(16);
    using db = new Database({ path });
    db.transaction(() => {
      if (readHeader(db) !== undefined) {
        throw new DeputyError("CONFLICT", "There is a vault already", { hint: "See deputy status." });
      }
      db.exec(SCHEMA);
      writeHeader(db, { ...header, vaultId }, kek);
      using ring = new KeyRing(db, deriveKey(kek, vaultId, "ring"), vaultId);
      ring.create(1);
      using stateKey = deriveKey(kek, vaultId, "state");
      new StateStore(db, stateKey, vaultId).write({ epoch: 0, count: 0, tally: Tally.zero, activeKey: 1 });
    });
  }

  /**
   * Opens a vault whose header proves itself under `kek`. Rows that went missing do not fail the opening, but
   * every call except `verify` and `accept` then throws what was found.
   */
  static open(options: OpenVault): Vault {
    const { path, patienceMs } = options;
    const db = new Database({ path, ...(patienceMs === undefined ? {} : { patienceMs }) });
    try {
      const found = readHeader(db);
      if (found === undefined) throw damaged("it is empty");
      const { vaultId } = found.header;
      checkHeader(found.header, found.mac, options.kek);
      const ring = new KeyRing(db, deriveKey(options.kek, vaultId, "ring"), vaultId);
      ring.load();
      const stateKey = deriveKey(options.kek, vaultId, "state");
      const tallyKey = deriveKey(options.kek, vaultId, "tally");
      const state = new StateStore(db, stateKey, vaultId);
      const rows = new RowStore({ db, ring, state, tally: new Tally(tallyKey), vaultId });
      return new Vault(rows, vaultId.toString("hex"), options, [ring, stateKey, tallyKey]);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  get epoch(): number {
    return this.#use().state().epoch;
  }

  /** What the epoch would be after a power cut, at least. */
  get durableEpoch(): number {
    return this.#use().durableEpoch ?? this.epoch;
  }

  /** Everything but the values. */
  list(): RowSummary[] {
    return summarizeRows(this.#use());
  }

  /**
   * The same for who asks again and again: a row that was opened before in this version is not opened again, so that
   * damage done to it since is found by `list`, or by who reads its value.
   */
  glance(): RowSummary[] {
    this.#use();
    return this.#glance();
  }

  /** The keys of a domain's rows, without opening any. A key proves nothing: only a row that opens does. */
  keysOf(domain: string): RowKey[] {
    return this.#use().keysOf(domain);
  }

  find(key: RowKey): Row | undefined {
    const stored = this.#use().find(key);
    return stored && this.#rows.open(stored);
  }

  /**
   * With `expect`, only over the version the caller has read (0: only where there is none). What is not `durable`
   * outlives the process, but a power cut only once a durable write has followed.
   */
  put(
    key: RowKey,
    value: Secret,
    meta: NewMeta,
    expect?: number,
    options: { readonly durable?: boolean } = {},
  ): Put {
    const [put] = this.putAll([{ key, value, meta, expect }], options);
    if (put === undefined) throw new TypeError("a row was neither stored nor refused");
    return put;
  }

  /**
   * Many rows for the price of one commit, in their order. A row in conflict is left as it is; the others are all
   * stored, or none of them where this throws or the process dies.
   */
  putAll(rows: readonly NewRow[], options: { readonly durable?: boolean } = {}): Put[] {
    return putRows(this.#use(), this.#clock, rows, options);
  }

  /**
   * The right to do something for an identity that only one process at a time may do, for at most `ms`. Undefined
   * while another holds it. It is advice among Deputies: rows are guarded by `put`'s `expect` alone.
   */
  lease({ domain, identifier }: Identity, purpose: LeasePurpose, ms: number): VaultLease | undefined {
    return takeLease(this.#use(), this.#clock, { domain, identifier, purpose }, ms);
  }

  /** False when there was none. A damaged row can be removed too. */
  remove(key: RowKey, options: { readonly durable?: boolean } = {}): boolean {
    const rows = this.#use();
    return rows.transaction(() => {
      if (rows.findVersion(key) === undefined) return false;
      rows.saveState(rows.erase(rows.state(), key));
      return true;
    }, options);
  }

  /** Removes every row of an identity; the number removed. */
  removeIdentity(domain: string, identifier: string): number {
    const rows = this.#use();
    return rows.transaction(() => eraseAll(rows, rows.ofIdentity(domain, identifier)));
  }

  /** Gives an account another name, all its rows or none. Refused where the new name has rows already. */
  renameAccount(domain: string, from: string, to: string): number {
    const rows = this.#use();
    return rows.transaction(() => {
      const found = rows.ofIdentity(domain, from);
      const taken = from === to ? [] : rows.ofIdentity(domain, to);
      if (taken[0] !== undefined) {
        throw new DeputyError("CONFLICT", `Cannot rename: there is a ${nameOf(taken[0].key)} already`, {
          hint: "Remove one of the two accounts first.",
        });
      }
      let state = rows.state();
      for (const stored of found) {
        const row = rows.open(stored);
        using value = row.value;
        state = rows.erase(state, row.key);
        state = rows.write(state, { ...row.key, identifier: to }, value, row.meta);
      }
      if (found.length > 0) rows.saveState(state);
      return found.length;
    });
  }

  /** Removes every row that cannot be opened, whatever its key columns say; the number removed. */
  removeDamaged(): number {
    const rows = this.#use();
    return rows.transaction(() => {
      const damaged = Array.from(rows.all()).filter((stored) => {
        const opened = rows.tryOpen(stored);
        if (opened instanceof DeputyError) return true;
        opened.value[Symbol.dispose]();
        return false;
      });
      return eraseAll(rows, damaged);
    });
  }

  /** Throws what is wrong with the vault as a whole, if anything. */
  requireSound(): void {
    const rows = this.#use();
    rows.transaction(() => requireAllRows(rows, this.#knownEpoch));
  }

  /** Opens every row and adds up the whole. Never throws for what it finds: it reports. */
  verify(counts: (key: RowKey) => boolean = () => true): Verification {
    return verifyVault(this.#rows, this.#knownEpoch, counts);
  }

  /** The owner takes the rows that are there as the truth. Rows that cannot be opened stay, to be removed by name. */
  accept(): void {
    const rows = this.#rows;
    // Beyond every version that was ever really written, so that none is used twice.
    const known = Math.max(rows.findState()?.epoch ?? 0, rows.newestSeen, this.#knownEpoch);
    rows.forgetSeen();
    rows.transaction(() => {
      const epoch = Math.max(known, rows.newestProven()) + 1;
      rows.saveState({ ...rows.count(), epoch, activeKey: Math.max(...rows.ring.versions()) });
    });
    this.#problem = undefined;
  }

  /** A new data key, every row sealed anew, the old key destroyed. Others may read and write meanwhile. */
  rotate(options: Omit<RotateOptions, "start"> = {}): Promise<Rotation> {
    return rotate(this.#use(), { ...options, start: true });
  }

  /** Takes up a rotation that was cut short; undefined when there is none. */
  async finishRotation(): Promise<Rotation | undefined> {
    const rows = this.#use();
    return unfinishedRotation(rows) ? rotate(rows, { start: false }) : undefined;
  }

  /** The same rows under another key: for changing from a key file to a passphrase, say. */
  rekey(header: Omit<Header, "vaultId">, kek: Secret): void {
    const rows = this.#use();
    const vaultId = Buffer.from(this.id, "hex");
    rows.transaction(() => {
      // Under the new key the rows are counted anew: what is missing now would never be missed again.
      requireAllRows(rows, this.#knownEpoch);
      const state = rows.state();
      rows.ring.load();
      using ring = new KeyRing(rows.db, deriveKey(kek, vaultId, "ring"), vaultId);
      ring.rewrap(rows.ring);
      using stateKey = deriveKey(kek, vaultId, "state");
      using tallyKey = deriveKey(kek, vaultId, "tally");
      const states = new StateStore(rows.db, stateKey, vaultId);
      const fresh = new RowStore({ db: rows.db, ring, state: states, tally: new Tally(tallyKey), vaultId });
      states.write({ ...fresh.count(), epoch: state.epoch + 1, activeKey: state.activeKey });
      writeHeader(rows.db, { ...header, vaultId }, kek);
    });
    // Our own derived keys are of the old one: this object must not be used again.
    this.#problem = new DeputyError("VAULT_LOCKED", "The vault has a new key and must be opened again", {
      hint: "Try again. If that does not help: deputy engine stop",
    });
    sweep(rows); // the ring under the old key must not linger in the log
  }

  [Symbol.dispose](): void {
    this.#rows.db.close();
    for (const secret of this.#secrets) secret[Symbol.dispose]();
  }

  #use(): RowStore {
    if (this.#problem !== undefined) throw this.#problem;
    return this.#rows;
  }
}

/** Inside a transaction; the number removed. */
function eraseAll(rows: RowStore, stored: readonly StoredRow[]): number {
  let state = rows.state();
  for (const { key } of stored) state = rows.erase(state, key);
  if (stored.length > 0) rows.saveState(state);
  return stored.length;
}
