import { createHmac } from "node:crypto";
import type { RowKey, Secret } from "../kernel/index.ts";
import { encodeFields } from "./binding.ts";

const WIDTH = 32;

/**
 * A keyed multiset hash of all rows: the sum modulo 2^256 of an HMAC of each row's key and version. Adding or
 * removing a row costs one HMAC however many rows there are, and whoever lacks the key cannot make a missing or
 * an older row add up.
 */
export class Tally {
  readonly #key: Secret;

  constructor(key: Secret) {
    this.#key = key;
  }

  static readonly zero: Uint8Array = new Uint8Array(WIDTH);

  add(sum: Uint8Array, key: RowKey, version: number): Uint8Array {
    const term = this.#term(key, version);
    const result = new Uint8Array(WIDTH);
    let carry = 0;
    for (let i = WIDTH - 1; i >= 0; i--) {
      carry += (sum[i] ?? 0) + (term[i] ?? 0);
      result[i] = carry & 0xff;
      carry >>= 8;
    }
    return result;
  }

  subtract(sum: Uint8Array, key: RowKey, version: number): Uint8Array {
    const term = this.#term(key, version);
    const result = new Uint8Array(WIDTH);
    let borrow = 0;
    for (let i = WIDTH - 1; i >= 0; i--) {
      const digit = (sum[i] ?? 0) - (term[i] ?? 0) - borrow;
      result[i] = digit & 0xff;
      borrow = digit < 0 ? 1 : 0;
    }
    return result;
  }

  #term(key: RowKey, version: number): Uint8Array {
    const row = encodeFields(key.domain, key.identifier, key.itemType, version);
    return createHmac("sha256", this.#key.bytes()).update(row).digest();
  }
}
