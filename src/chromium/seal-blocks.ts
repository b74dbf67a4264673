import { type Cipheriv, createCipheriv, createDecipheriv } from "node:crypto";

const BLOCK = 16;
const WORDS = BLOCK / 4;
/** The initialization vector of 16 spaces, which is the same in any byte order. */
const VECTOR = 0x20202020;

/** What is sealed as one: `head` and then `text`, in UTF-8. */
export interface Plain {
  readonly head: Uint8Array;
  readonly text: Uint8Array | string;
}

export interface Opened {
  readonly bytes: Buffer;
  /** Where each lies in them; undefined where the padding shows that this was not the key. */
  readonly spans: readonly ({ readonly begin: number; readonly end: number } | undefined)[];
}

/**
 * AES-128-CBC with PKCS #7 for many values at once, each after `prefix`. A call of a cipher costs more than all else
 * about a cookie, so the chaining is done by hand over ECB: the first blocks of all values in one call, then the
 * second ones, and so on.
 */
export function createSealAll(key: Buffer): (prefix: Uint8Array, plains: readonly Plain[]) => Buffer[] {
  const cipher = createCipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  return (prefix, plains) => {
    const { places, end } = placesOf(plains, (plain) => Math.floor(sizeOf(plain) / BLOCK) + 1);
    const bytes = Buffer.allocUnsafeSlow(end);
    for (const { one, at, end } of places) {
      bytes.set(prefix, at - prefix.length);
      bytes.set(one.head, at);
      const begin = at + one.head.length;
      const padding = begin + put(bytes, one.text, begin);
      bytes.fill(end - padding, padding, end);
    }
    chain(cipher, new Uint32Array(bytes.buffer), places);
    return places.map(({ at, end }) => bytes.subarray(at - prefix.length, end));
  };
}

/** The other way round, with `prefixBytes` before each left out of account. The caller zeroes the bytes. */
export function createOpenAll(key: Buffer): (prefixBytes: number, sealed: readonly Uint8Array[]) => Opened {
  const decipher = createDecipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  return (prefixBytes, sealed) => {
    const blocksOf = ({ length }: Uint8Array) => Math.ceil((length - prefixBytes) / BLOCK);
    const { places, end } = placesOf(sealed, blocksOf);
    const closed = Buffer.alloc(end);
    for (const { one, at } of places) closed.set(one, at - prefixBytes);
    const bytes = Buffer.allocUnsafeSlow(end);
    bytes.set(decipher.update(closed));
    unchain(new Uint32Array(bytes.buffer), new Uint32Array(closed.buffer), places);
    const spans = places.map(({ one, at, end }) => {
      const padding = bytes[end - 1] ?? 0;
      const isWhole = end > at && end - at === one.length - prefixBytes;
      return isWhole && isPadding(bytes, end, padding) ? { begin: at, end: end - padding } : undefined;
    });
    return { bytes, spans };
  };
}

interface Place {
  readonly at: number;
  readonly end: number;
}

/** Whole blocks in one buffer, with a block's room before each. */
function placesOf<T>(list: readonly T[], blocksOf: (one: T) => number) {
  let end = 0;
  const places = list.map((one) => {
    const at = end + BLOCK;
    end = at + Math.max(blocksOf(one), 0) * BLOCK;
    return { one, at, end };
  });
  return { places, end };
}

function chain(cipher: Cipheriv, words: Uint32Array, places: readonly Place[]): void {
  // The longest first: those that go on are then always the first ones.
  const order = places.toSorted((a, b) => b.end - b.at - (a.end - a.at));
  /** Where each goes on, in words. */
  const next = Uint32Array.from(order, ({ at }) => at / 4);
  const step = Buffer.allocUnsafeSlow(order.length * BLOCK);
  const mixed = new Uint32Array(step.buffer);
  let going = order.length;
  for (let block = 0; ; block += BLOCK) {
    while (going > 0 && endsBy(order[going - 1], block)) going--;
    if (going === 0) return;
    for (let i = 0; i < going; i++) {
      const from = next[i] ?? 0;
      for (let w = 0; w < WORDS; w++) {
        const before = block === 0 ? VECTOR : (words[from + w - WORDS] ?? 0);
        mixed[i * WORDS + w] = (words[from + w] ?? 0) ^ before;
      }
    }
    step.set(cipher.update(step.subarray(0, going * BLOCK)));
    for (let i = 0; i < going; i++) {
      const to = next[i] ?? 0;
      for (let w = 0; w < WORDS; w++) words[to + w] = mixed[i * WORDS + w] ?? 0;
      next[i] = to + WORDS;
    }
  }
}

function unchain(words: Uint32Array, sealed: Uint32Array, places: readonly Place[]): void {
  for (const { at, end } of places) {
    for (let i = at / 4; i < end / 4; i++) {
      const before = i < at / 4 + WORDS ? VECTOR : (sealed[i - WORDS] ?? 0);
      words[i] = (words[i] ?? 0) ^ before;
    }
  }
}

function endsBy(place: Place | undefined, bytes: number): boolean {
  return place === undefined || place.end - place.at <= bytes;
}

/** PKCS #7, RFC 5652 6.3: as many bytes as are missing, each of that number. */
function isPadding(bytes: Buffer, end: number, padding: number): boolean {
  if (padding === 0 || padding > BLOCK) return false;
  for (let i = end - padding; i < end; i++) if (bytes[i] !== padding) return false;
  return true;
}

/** How many bytes it takes. */
function put(bytes: Buffer, text: Uint8Array | string, at: number): number {
  if (typeof text === "string") return bytes.write(text, at);
  bytes.set(text, at);
  return text.length;
}

function sizeOf({ head, text }: Plain): number {
  return head.length + (typeof text === "string" ? Buffer.byteLength(text) : text.length);
}
