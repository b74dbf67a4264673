import { randomBytes } from "node:crypto";
import { type Clock, DeputyError, Secret } from "../kernel/index.ts";
import { createKeyring, type HomePaths, type Keyring } from "../platform/index.ts";
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
} from "../vault/index.ts";

export interface NewKey {
  readonly kind: ProviderKind;
  readonly passphrase?: Secret | undefined;
  readonly keyFile?: string | undefined;
}

/** How often the epoch's high-water mark is written: a rollback of less than this much work is not noticed. */
const MARK_EVERY_MS = 15_000;

/** The vault's life in the engine: not there, locked, open. One opening serves all callers. */
export class VaultDoor implements AsyncDisposable {
  readonly #paths: HomePaths;
  readonly #clock: Clock;
  readonly #keyring: Keyring;
  readonly #timer: NodeJS.Timeout;
  #vault: Vault | undefined;
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
    return this.#vault ?? this.#inTurn(() => this.#open(undefined));
  }

  async unlock(passphrase: Secret): Promise<Vault> {
    return this.#inTurn(() => this.#open(passphrase));
  }

  async create(key: NewKey): Promise<void> {
    await this.#inTurn(async () => {
      const provider = this.#provider(key.kind, key);
      const vaultId = randomBytes(16);
      const { kek, params } = await provider.create(vaultId);
      try {
        Vault.create(this.#paths.vault, { vaultId, provider: key.kind, params }, kek);
      } catch (error) {
        await provider.forget({ vaultId, provider: key.kind, params });
        throw error;
      } finally {
        kek[Symbol.dispose]();
      }
      await this.#open(key.passphrase);
    });
  }

  /** The same rows under another key; the old key is forgotten. */
  async rekey(key: NewKey): Promise<void> {
    const vault = await this.get();
    await this.#inTurn(async () => {
      const old = this.#requireHeader();
      if (old.provider === key.kind && key.kind !== "passphrase") {
        throw new DeputyError("CONFLICT", `The vault's key is in the ${key.kind} already`, {
          hint: "deputy vault rotate makes new data keys.",
        });
      }
      const provider = this.#provider(key.kind, key);
      const { kek, params } = await provider.create(old.vaultId);
      try {
        vault.rekey({ provider: key.kind, params }, kek);
      } finally {
        kek[Symbol.dispose]();
      }
      if (old.provider !== key.kind) await this.#provider(old.provider, {}).forget(old);
      this.#drop();
      await this.#open(key.passphrase);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#writeMark().catch(() => {}); // the keyring may be gone before us at logout
    this.#drop();
  }

  async #open(passphrase: Secret | undefined): Promise<Vault> {
    if (this.#vault !== undefined) return this.#vault;
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
    });
    this.#mark = known.mark;
    this.#marked = known.epoch ?? 0;
    this.#vault = vault;
    // A rotation that was cut short goes on; writers and readers do not notice.
    void vault.finishRotation().catch(() => {});
    return vault;
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
        return fileKey(key.keyFile ?? this.#paths.vaultKey);
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
    const { epoch } = this.#vault;
    if (epoch === this.#marked) return;
    await this.#mark.write(epoch);
    this.#marked = epoch;
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
