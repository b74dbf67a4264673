import { createHmac, randomBytes } from "node:crypto";
import { type RowKey, Secret } from "../kernel/index.ts";
import { open, seal } from "./aead.ts";
import { type RowBinding, rowAdditionalData } from "./binding.ts";

/** What is known about a row without its value. Sealed with it: on disk only the key's three parts are readable. */
export interface RowMeta {
  readonly label: string | null;
  /** Where it came from: `cli`, `chromium/Default`, a skill's id. */
  readonly source: string;
  readonly obtainedAt: number;
  readonly updatedAt: number;
  readonly lastVerified: number | null;
  /** Enough for the owner to tell it from another, too little to use: `…9f2c`, `12 cookies`. */
  readonly masked: string;
}

/** The first byte of a sealed row. */
const LAYOUT = 1;
const SALT = 32;
/** What follows the salt in HKDF's info, and the number of the block. */
const INFO = Buffer.from("deputy/vault/1/row\x01");

/** layout(1) salt(32) nonce(12) ciphertext tag(16); the plaintext is length(4) meta value. See docs/formats/vault.md. */
export function sealRow(dataKey: Secret, value: Secret, meta: RowMeta, binding: RowBinding): Buffer {
  const salt = randomBytes(SALT);
  const metaBytes = Buffer.from(JSON.stringify(meta));
  const plaintext = Buffer.allocUnsafeSlow(4 + metaBytes.length + value.length);
  plaintext.writeUInt32BE(metaBytes.length);
  metaBytes.copy(plaintext, 4);
  value.bytes().copy(plaintext, 4 + metaBytes.length);
  const key = rowCipherKey(dataKey, salt);
  try {
    return seal(key, plaintext, rowAdditionalData(binding), Buffer.of(LAYOUT), salt);
  } finally {
    plaintext.fill(0);
    key.fill(0);
  }
}

/** Undefined when anything at all is wrong: a row that does not prove itself is not looked into. */
export function openRow(dataKey: Secret, sealed: Uint8Array, binding: RowBinding): Row | undefined {
  if (sealed[0] !== LAYOUT || sealed.length < 1 + SALT) return undefined;
  const key = rowCipherKey(dataKey, sealed.subarray(1, 1 + SALT));
  const plaintext = open(key, sealed, rowAdditionalData(binding), 1 + SALT);
  key.fill(0);
  return plaintext && new Row(binding, plaintext);
}

/** A row that proved itself. Only we can have sealed it, so its inside is trusted. */
export class Row {
  readonly key: RowKey;
  readonly version: number;
  readonly value: Secret;
  readonly #plaintext: Buffer;
  readonly #metaEnd: number;

  constructor(binding: RowBinding, plaintext: Buffer) {
    this.key = binding.key;
    this.version = binding.version;
    this.#plaintext = plaintext;
    this.#metaEnd = 4 + plaintext.readUInt32BE(0);
    this.value = Secret.fromBytes(plaintext.subarray(this.#metaEnd));
  }

  /** Parsed late: most readers want the value alone, and this is a good part of what opening costs. */
  get meta(): RowMeta {
    return JSON.parse(this.#plaintext.toString("utf8", 4, this.#metaEnd)) as RowMeta;
  }
}

/**
 * A key of its own for every write: no two rows, and no two versions of one, share a key and nonce. HKDF-Expand of
 * one block: "if IKM is already a cryptographically strong key [...] one can skip the extract part" (RFC 5869, 3.3).
 */
function rowCipherKey(dataKey: Secret, salt: Uint8Array): Buffer {
  return createHmac("sha256", dataKey.bytes()).update(salt).update(INFO).digest();
}
