import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { type Clock, DeputyError, Secret } from "../../kernel/index.ts";
import { createKeyring, type HomePaths, type Keyring } from "../../platform/index.ts";
import {
  createEpochMark,
  type EpochMark,
  fileKey,
  findHeader,
  type Header,
  type KeyProvider,
  keyringKey,
  passphraseKey,
  type ProviderKind,
  Vault,
} from "../../vault/index.ts";

export interface NewKey {
  readonly kind: ProviderKind;
  readonly passphrase?: Secret | undefined;
  readonly keyFile?: string | undefined;
}

/** How often the epoch's high-water mark is written: a rollback of less than this much work is not noticed. */
const MARK_EVERY_MS = 15_000;

/** A wait for another process's lock holds up every caller, so it is shorter here than in a command of its own. */
const PATIENCE_MS = 10_000;

/** The vault's life in the engine: not there, locked, open. One opening serves all callers. */
export class VaultDoor implements AsyncDisposable {
  readonly #paths: HomePaths;
  readonly #clock: Clock;
  readonly #keyring: Keyring;
  readonly #timer: NodeJS.Timeout;
  #vault: Vault | undefined;
  /** Which file the open vault is. */
  #file: string | undefined;
  #mark: EpochMark | undefined;
  #marked = 0;
  /** Openings and changes of key take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: { paths: HomePaths; clock: Clock; keyring?: Keyring }) {
    this.#paths = parts.paths;
    this.#clock = parts.clock;
    this.#keyring = parts.keyring ?? createKeyring();
    this.#timer = setInterval(() => void this.#writeMark().catch(() => {}), MARK_EVERY_MS);
  }

  get keyring(): Keyring {
    return this.#keyring;
  }

  /** Whether a whole file put back would be noticed. */
  get rollbackDetection(): boolean {
    return this.#mark !== undefined;
  }

  get isOpen(): boolean {
    return this.#vault !== undefined;
  }

  header(): Header | undefined {
    return findHeader(this.#paths.vault);
  }

  /** The open vault. Throws NOT_SET_UP, or VAULT_LOCKED where a passphrase is needed first. */
  async get(): Promise<Vault> {
    return this.#current() ?? this.#inTurn(() => this.#open(undefined));
  }

  /** Opens the vault; where it is open already, says whether the passphrase is right all the same. */
  async unlock(passphrase: Secret): Promise<Vault> {
    return this.#inTurn(async () => {
      if (this.#current() !== undefined) {
        const header = this.#requireHeader();
        using kek = await this.#provider(header.provider, { passphrase }).open(header);
        Vault.open({ path: this.#paths.vault, kek, clock: this.#clock })[Symbol.dispose]();
      }
      return this.#open(passphrase);
    });
  }

  async create(key: NewKey): Promise<void> {
    await this.#inTurn(async () => {
      this.#drop(); // a file that was taken away leaves us with a vault nobody else sees
      const provider = this.#provider(key.kind, key);
      const vaultId = randomBytes(16);
      const made = await provider.create(vaultId);
      try {
        Vault.create(this.#paths.vault, { vaultId, provider: key.kind, params: made.params }, made.kek);
      } catch (error) {
        await made.undo();
        throw error;
      } finally {
        made.kek[Symbol.dispose]();
      }
      await this.#open(key.passphrase);
    });
  }

  /** The same rows under another key and new data keys. Gives what the owner must know about the old key. */
  async rekey(key: NewKey): Promise<string[]> {
    return this.#inTurn(async () => {
      const vault = await this.#open(undefined);
      const old = this.#requireHeader();
      if (old.provider === key.kind && key.kind !== "passphrase") {
        throw new DeputyError("CONFLICT", `The vault's key is a ${key.kind} already`, {
          hint: "deputy vault rotate makes new data keys.",
        });
      }
      vault.requireSound();
      const made = await this.#provider(key.kind, key).create(old.vaultId);
      try {
        vault.rekey({ provider: key.kind, params: made.params }, made.kek);
      } catch (error) {
        await made.undo();
        throw error;
      } finally {
        made.kek[Symbol.dispose]();
      }
      this.#drop();
      // Whoever has the old key and an old copy has the data keys too: what is written from now on needs new ones.
      await (await this.#open(key.passphrase)).rotate();
      if (old.provider === key.kind) return [];
      const left = await this.#provider(old.provider, {}).retire(old);
      return left === undefined ? [] : [left];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#writeMark().catch(() => {}); // the keyring may be gone before us at logout
    this.#drop();
  }

  async #open(passphrase: Secret | undefined): Promise<Vault> {
    const current = this.#current();
    if (current !== undefined) return current;
    const header = this.#requireHeader();
    using kek = await this.#provider(header.provider, { passphrase }).open(header);
    const mark = createEpochMark(this.#keyring, header.vaultId.toString("hex"));
    const known = await mark.read().then(
      (epoch) => ({ mark, epoch }),
      () => ({ mark: undefined, epoch: undefined }), // no keyring: said by status and doctor
    );
    const vault = Vault.open({
      path: this.#paths.vault,
      kek,
      clock: this.#clock,
      knownEpoch: known.epoch,
      patienceMs: PATIENCE_MS,
    });
    this.#mark = known.mark;
    this.#marked = known.epoch ?? 0;
    this.#vault = vault;
    this.#file = fileId(this.#paths.vault);
    // A rotation that was cut short goes on; writers and readers do not notice.
    void vault.finishRotation().catch(() => {});
    return vault;
  }

  /** The open vault, unless its file was taken away or another put in its place: then it is let go of. */
  #current(): Vault | undefined {
    if (this.#vault !== undefined && fileId(this.#paths.vault) !== this.#file) this.#drop();
    return this.#vault;
  }

  #requireHeader(): Header {
    const header = this.header();
    if (header !== undefined) return header;
    throw new DeputyError("NOT_SET_UP", "There is no vault yet", { hint: "Make one: deputy setup" });
  }

  #provider(kind: ProviderKind, key: Pick<NewKey, "passphrase" | "keyFile">): KeyProvider {
    switch (kind) {
      case "keyring":
        return keyringKey(this.#keyring);
      case "file":
        return fileKey(this.#paths.vaultKey, key.keyFile);
      case "passphrase":
        return passphraseKey(async () => {
          if (key.passphrase !== undefined) return Secret.fromBytes(Buffer.from(key.passphrase.bytes()));
          throw new DeputyError("VAULT_LOCKED", "The vault is locked by a passphrase", {
            hint: "Unlock it in your own terminal: deputy vault unlock",
          });
        });
    }
  }

  async #writeMark(): Promise<void> {
    if (this.#mark === undefined || this.#vault === undefined) return;
    // A mark ahead of what a power cut leaves would call the vault rolled back.
    const { durableEpoch } = this.#vault;
    if (durableEpoch <= this.#marked) return;
    await this.#mark.write(durableEpoch);
    this.#marked = durableEpoch;
  }

  #drop(): void {
    this.#vault?.[Symbol.dispose]();
    this.#vault = undefined;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => {});
    return turn;
  }
}

function fileId(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}
