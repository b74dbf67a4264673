import { Unusable } from "./task.ts";

const DEEPEST = 64;
/** References may be shared: a small file can unfold to any size. */
const MOST_VALUES = 1_000_000;
/** Dates count from 2001-01-01. */
const EPOCH_MS = Date.UTC(2001, 0, 1);

/** As CoreFoundation's CFBinaryPList.c describes the format: objects, a table of their offsets, a trailer. */
export function parseBinaryPlist(bytes: Buffer): unknown {
  try {
    return new BinaryPlist(bytes).top();
  } catch (error) {
    // Every read outside of the buffer.
    if (error instanceof RangeError) throw new Unusable("the binary property list is damaged");
    throw error;
  }
}

class BinaryPlist {
  readonly #bytes: Buffer;
  readonly #offsetSize: number;
  readonly #refSize: number;
  readonly #count: number;
  readonly #top: number;
  readonly #table: number;
  #values = 0;

  constructor(bytes: Buffer) {
    const trailer = bytes.length - 32;
    if (trailer < 8) throw new RangeError();
    this.#bytes = bytes;
    this.#offsetSize = bytes.readUInt8(trailer + 6);
    this.#refSize = bytes.readUInt8(trailer + 7);
    this.#count = Number(bytes.readBigUInt64BE(trailer + 8));
    this.#top = Number(bytes.readBigUInt64BE(trailer + 16));
    this.#table = Number(bytes.readBigUInt64BE(trailer + 24));
  }

  top(): unknown {
    return this.#object(this.#top, 0);
  }

  #object(ref: number, depth: number): unknown {
    if (ref >= this.#count || depth > DEEPEST) throw new RangeError();
    this.#values += 1;
    if (this.#values > MOST_VALUES) throw new Unusable("the property list has too many values");
    const at = this.#uint(this.#table + ref * this.#offsetSize, this.#offsetSize);
    const marker = this.#bytes.readUInt8(at);
    const [kind, low] = [marker >> 4, marker & 15];
    switch (kind) {
      case 0x0:
        return low === 8 ? false : low === 9 ? true : null;
      case 0x1:
        return this.#integer(at + 1, 2 ** low);
      case 0x2:
        return low === 2 ? this.#bytes.readFloatBE(at + 1) : this.#bytes.readDoubleBE(at + 1);
      case 0x3:
        return this.#date(at + 1);
      case 0x8:
        return { CF$UID: this.#uint(at + 1, low + 1) };
      default:
    }
    const { length, start } = this.#sized(at, low);
    switch (kind) {
      case 0x4:
        return { base64: this.#slice(start, length).toString("base64") };
      case 0x5:
        return this.#slice(start, length).toString("latin1");
      case 0x6:
        return Buffer.from(this.#slice(start, length * 2))
          .swap16()
          .toString("utf16le");
      case 0xa:
      case 0xc:
        return this.#refs(start, length).map((one) => this.#object(one, depth + 1));
      case 0xd:
        return this.#dictionary(start, length, depth);
      default:
        throw new RangeError();
    }
  }

  #dictionary(start: number, length: number, depth: number): unknown {
    const keys = this.#refs(start, length);
    const values = this.#refs(start + length * this.#refSize, length);
    return Object.fromEntries(
      keys.map((key, index) => [
        String(this.#object(key, DEEPEST)),
        this.#object(values[index] ?? this.#count, depth + 1),
      ]),
    );
  }

  #refs(start: number, length: number): number[] {
    if (length > this.#bytes.length) throw new RangeError();
    return Array.from({ length }, (_, index) => this.#uint(start + index * this.#refSize, this.#refSize));
  }

  /** From 15 on the length is an integer object of its own. */
  #sized(at: number, low: number): { length: number; start: number } {
    if (low !== 15) return { length: low, start: at + 1 };
    const size = 2 ** (this.#bytes.readUInt8(at + 1) & 15);
    return { length: this.#uint(at + 2, size), start: at + 2 + size };
  }

  /** One, two and four bytes are unsigned, eight and sixteen are signed. */
  #integer(at: number, size: number): unknown {
    if (size < 8) return this.#uint(at, size);
    const low = at + size - 8;
    const value =
      size === 8
        ? this.#bytes.readBigInt64BE(low)
        : (this.#bytes.readBigInt64BE(at) << 64n) + this.#bytes.readBigUInt64BE(low);
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }

  #date(at: number): unknown {
    const date = new Date(EPOCH_MS + this.#bytes.readDoubleBE(at) * 1000);
    return Number.isNaN(date.getTime()) ? null : date.toISOString();
  }

  #uint(at: number, size: number): number {
    if (size < 1 || size > 8) throw new RangeError();
    return size > 6 ? Number(this.#bytes.readBigUInt64BE(at + size - 8)) : this.#bytes.readUIntBE(at, size);
  }

  #slice(start: number, length: number): Buffer {
    if (start + length > this.#bytes.length) throw new RangeError();
    return this.#bytes.subarray(start, start + length);
  }
}
