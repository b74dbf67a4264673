import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Caller, type Clock, DeputyError } from "../../kernel/index.ts";
import { bootId } from "../../platform/index.ts";
import { type Agent, AgentRegistry } from "../agents/agent-registry.ts";
import { GENESIS, linkHash } from "./chain.ts";
import { type Begun, LogEntry } from "./log-entry.ts";
import type { LinkedRow, LogFilter, LogRow } from "./log-row.ts";
import type { LogSeal, SealedHead } from "./log-seal.ts";
import { columnsOf, LogStore, moveAside } from "./log-store.ts";
import { reconcile } from "./reconcile.ts";
import { type Verified, verifyChain } from "./verify-chain.ts";

interface Parts {
  readonly path: string;
  readonly clock: Clock;
  /** Of the vault that is open now. Throws NOT_SET_UP or VAULT_LOCKED where none is. */
  readonly seal: () => Promise<LogSeal>;
  /** About how many rows are kept. */
  readonly keep?: number;
}

type Unlinked = Omit<LogRow, "id">;

interface Waiting {
  readonly row: Unlinked;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

interface Open {
  readonly seal: LogSeal;
  readonly store: LogStore;
  sealed: SealedHead;
  lastId: number;
}

/** A hundred thousand calls are some thirty megabytes. */
const KEEP = 100_000;

/** Rows of a locked vault's time that are remembered until it opens. */
const MOST_HELD = 256;

/** How long a power cut may reach back. */
const SYNC_MS = 1000;

/**
 * Who did what, as whom, where to. A row is committed, and the chain's head sealed, before its call is answered; both
 * outlive the process at once and a power cut within a second. Calls that end together share one write.
 */
export class ActivityLog implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #keep: number;
  readonly #registry = new AgentRegistry();
  readonly #listeners = new Set<(row: LinkedRow) => void>();
  readonly #held: Unlinked[] = [];
  #queue: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #file: LogStore | undefined;
  #open: Open | undefined;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#keep = parts.keep ?? KEEP;
  }

  begin(begun: Begun): LogEntry {
    return new LogEntry(begun, this.#parts.clock.now(), (row) => this.#commit(row));
  }

  seen(caller: Caller): void {
    this.#registry.seen(caller, this.#parts.clock.now());
    this.#syncSoon();
  }

  agents(): Agent[] {
    const store = this.#store();
    store.db.transaction(() => this.#registry.save(store.db), { durable: false });
    return AgentRegistry.list(store.db);
  }

  /** The newest rows that match, oldest first. */
  latest(limit: number, filter: LogFilter = {}): LinkedRow[] {
    return this.#store().latest(limit, filter);
  }

  /** Told of every row once it is committed. */
  subscribe(listener: (row: LinkedRow) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Whether the file says what was written, all of it. */
  async verify(): Promise<Verified> {
    await this.#writing;
    const open = await this.#opened();
    using reader = LogStore.reader(this.#parts.path);
    return await verifyChain(reader, open.sealed);
  }

  /** The owner has seen what is wrong: the file is put aside, under the name returned, and a new chain begins. */
  async restart(): Promise<string> {
    await this.#writing;
    const seal = await this.#parts.seal();
    seal.read(); // what is written over must be what is there
    this.#close();
    const aside = moveAside(this.#parts.path, this.#parts.clock.now());
    seal.write(newHead(), { durable: true });
    return aside;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await this.#writing;
    try {
      this.#sync();
    } catch {} // the home may be gone before us; what was acknowledged was written already
    this.#close();
  }

  async #commit(row: Unlinked): Promise<void> {
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<void>();
    this.#queue.push({ row, done, failed });
    this.#writing ??= this.#write();
    return promise;
  }

  async #write(): Promise<void> {
    while (this.#queue.length > 0) {
      await nextTurn(); // those that end in the same turn go together
      const batch = this.#queue;
      this.#queue = [];
      try {
        const rows = await this.#append(batch.map(({ row }) => row));
        for (const { done } of batch) done();
        for (const row of rows) for (const listener of this.#listeners) listener(row);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#writing = undefined; // in the same turn as the look at the queue, or a row could be left in it
  }

  async #append(rows: readonly Unlinked[]): Promise<LinkedRow[]> {
    let open: Open;
    try {
      open = await this.#opened();
    } catch (error) {
      if (!isClosedVault(error)) throw error;
      // Nothing was lent without the vault; what was refused meanwhile is written down when it opens.
      this.#held.push(...rows);
      this.#held.splice(0, this.#held.length - MOST_HELD);
      return [];
    }
    const { store, seal, sealed } = open;
    const linked: LinkedRow[] = [];
    let last = { id: open.lastId, hash: sealed.head.hash };
    try {
      store.db.transaction(
        () => {
          for (const row of [...this.#held, ...rows]) {
            const whole = { ...row, id: last.id + 1 };
            const columns = columnsOf(whole);
            last = { id: whole.id, hash: linkHash(sealed.key, last.hash, columns) };
            store.insert(columns, last.hash);
            linked.push({ ...whole, hash: last.hash });
          }
          this.#registry.save(store.db);
        },
        { durable: false },
      );
      const head = { ...sealed, head: last };
      seal.write(head, { durable: false });
      open.sealed = head;
      open.lastId = last.id;
      this.#held.length = 0;
    } catch (error) {
      this.#close(); // what was written, and what was not, is found out anew
      throw error;
    }
    this.#syncSoon();
    return linked;
  }

  async #opened(): Promise<Open> {
    const seal = await this.#parts.seal();
    const store = this.#store();
    if (this.#open !== undefined && this.#open.seal === seal && this.#open.store === store) return this.#open;
    const known = seal.read();
    if (known === undefined && store.lastId > 0) {
      // Another vault's: who has that one can check it.
      this.#close();
      moveAside(this.#parts.path, this.#parts.clock.now());
      return this.#opened();
    }
    const sealed = known === undefined ? newHead() : reconcile(store, known, bootId());
    if (sealed !== known) seal.write(sealed, { durable: true });
    this.#open = { seal, store, sealed, lastId: Math.max(store.lastId, sealed.head.id) };
    return this.#open;
  }

  /** Needs no vault: reading the log is no secret to who can read the file. */
  #store(): LogStore {
    if (this.#file !== undefined && !this.#file.isInPlace) this.#close();
    try {
      this.#file ??= new LogStore(this.#parts.path);
    } catch (error) {
      throw isDamaged(error) ? damaged(error) : error;
    }
    return this.#file;
  }

  #close(): void {
    this.#file?.[Symbol.dispose]();
    this.#file = undefined;
    this.#open = undefined;
  }

  #syncSoon(): void {
    if (this.#disposed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      try {
        this.#sync();
      } catch {
        this.#close(); // the next call meets the same trouble, and says so
      }
    }, SYNC_MS).unref();
  }

  /** File first: a head that a power cut leaves must not promise rows that it takes. */
  #sync(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#registry.isSaved) {
      const { db } = this.#store();
      db.transaction(() => this.#registry.save(db), { durable: false });
    }
    const open = this.#open;
    if (open === undefined || open.sealed.durable === open.sealed.head.id) return;
    open.store.makeDurable();
    const excess = open.sealed.head.id - open.sealed.anchor.id - this.#keep;
    const before = open.sealed;
    const pruned = excess > this.#keep / 10 ? prunedTo(open, before.anchor.id + excess) : before;
    const sealed = { ...pruned, durable: pruned.head.id };
    open.seal.write(sealed, { durable: true });
    open.sealed = sealed;
    if (!sealed.pruning) return;
    open.store.deleteThrough(sealed.anchor.id);
    open.sealed = { ...sealed, pruning: false };
  }
}

function newHead(): SealedHead {
  return {
    key: randomBytes(32),
    head: GENESIS,
    anchor: GENESIS,
    pruning: false,
    durable: 0,
    boot: bootId(),
    lost: [],
  };
}

function prunedTo({ store, sealed }: Open, id: number): SealedHead {
  const hash = store.hashOf(id);
  if (hash === undefined) return sealed; // somebody took it: pruning must not hide that
  const anchor = { id, hash };
  return { ...sealed, anchor, pruning: true, lost: sealed.lost.filter(({ after }) => after >= id) };
}

function isDamaged(error: unknown): boolean {
  return error instanceof DeputyError && error.code === "DATABASE_CORRUPT";
}

function damaged(cause: unknown): DeputyError {
  return new DeputyError("DATABASE_CORRUPT", "The activity log is damaged, and nothing is done unrecorded", {
    hint: "The owner can put it aside and begin a new one: deputy log --restart",
    cause,
  });
}

function isClosedVault(error: unknown): boolean {
  return error instanceof DeputyError && (error.code === "NOT_SET_UP" || error.code === "VAULT_LOCKED");
}
