/** A run of so many characters out of a secret is hidden by itself. */
const PIECE = 8;
/** Shorter secrets are hidden whole or not at all: half of one would stand in pages by chance. */
const WORTH_CUTTING = 16;
const GRAM = 4;
/** Whatever runs over PIECE bytes has a whole gram at a place that is a multiple of this. */
const STRIDE = PIECE - GRAM + 1;
/** A secret made to have the same gram everywhere would make every look a long one. */
const MOST_PLACES = 16;
const SEPARATOR = 0;

/**
 * Finds parts of secrets: what a service was told in one answer and shows in two. Only of what looks like it was drawn by
 * lot: cookies hold addresses, dates and words as well, and a page without those could not be read.
 */
export class SecretPieces {
  /** The parts of all secrets, a zero before and after each. */
  readonly #text: Buffer;
  /** By a gram's hash, where it stands last in the text, and from each place where it stood before; 0 is nowhere. */
  readonly #last: Int32Array;
  readonly #before: Int32Array;

  constructor(secrets: readonly string[]) {
    const parts = new Set(secrets.flatMap(drawnParts));
    this.#text = Buffer.from(parts.size === 0 ? "" : `\0${[...parts].join("\0")}\0`, "latin1");
    this.#last = new Int32Array(parts.size === 0 ? 0 : 2 ** Math.ceil(Math.log2(this.#text.length * 4)));
    this.#before = new Int32Array(this.#text.length);
    for (let at = 1; at + GRAM <= this.#text.length; at++) {
      const slot = this.#slot(this.#text, at);
      if (!this.#isNew(at, slot)) continue;
      this.#before[at] = this.#last[slot] ?? 0;
      this.#last[slot] = at;
    }
  }

  get isEmpty(): boolean {
    return this.#text.length === 0;
  }

  /** Calls back with the place of each window of PIECE bytes that is part of a secret. */
  find(bytes: Uint8Array, found: (from: number, to: number) => void): void {
    if (this.isEmpty) return;
    for (let at = 0; at + GRAM <= bytes.length; at += STRIDE) {
      let place = this.#last[this.#slot(bytes, at)] ?? 0;
      for (; place !== 0; place = this.#before[place] ?? 0) this.#compare(bytes, at, place, found);
    }
  }

  /** Where a piece may have begun that the next bytes complete. */
  undecided(bytes: Uint8Array): number {
    let from = bytes.length;
    const least = Math.max(0, bytes.length - PIECE + 1);
    while (from > least && bytes[from - 1] !== SEPARATOR && this.#text.includes(bytes.subarray(from - 1)))
      from--;
    return from;
  }

  /** Where all that a look compares is the same as at a place that is known, there is nothing to add. */
  #isNew(at: number, slot: number): boolean {
    const around = (place: number) => this.#text.subarray(Math.max(0, place + GRAM - PIECE), place + PIECE);
    let places = 0;
    for (let known = this.#last[slot] ?? 0; known !== 0; known = this.#before[known] ?? 0)
      if (++places === MOST_PLACES || around(known).equals(around(at))) return false;
    return true;
  }

  #compare(bytes: Uint8Array, at: number, place: number, found: (from: number, to: number) => void): void {
    const text = this.#text;
    let to = 0;
    while (to < PIECE && bytes[at + to] === text[place + to] && text[place + to] !== SEPARATOR) to++;
    if (to < GRAM) return;
    let from = 0;
    while (
      from > GRAM - PIECE &&
      bytes[at + from - 1] === text[place + from - 1] &&
      text[place + from - 1] !== SEPARATOR
    )
      from--;
    for (let start = from; start + PIECE <= to; start++) {
      // Digits alone are a date or a number, and stand where nothing else may.
      if (bytes.subarray(at + start, at + start + PIECE).some((byte) => byte > 0x39))
        found(at + start, at + start + PIECE);
    }
  }

  #slot(bytes: Uint8Array, at: number): number {
    const gram =
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24);
    // Fibonacci hashing: the high bits of the product depend on all of the gram's.
    return (Math.imul(gram, 0x9e3779b1) >>> 7) & (this.#last.length - 1);
  }
}

/** The parts of a secret that nobody would write by chance. */
function drawnParts(secret: string): string[] {
  if (secret.length < WORTH_CUTTING) return [];
  // Of a signed token only the signature is secret, and every other one of its issuer begins the same (RFC 7515, 3.1).
  const [, signature = secret] = /^eyJ[\w-]+\.[\w-]+\.([\w-]*)$/.exec(secret) ?? [];
  return signature
    .replaceAll(/%[0-9a-f]{2}/gi, " ")
    .split(/[^A-Za-z0-9_-]+/)
    .filter((part) => part.length >= PIECE && !isRecordId(part) && looksDrawn(part));
}

/** By how often it changes between small letters, capitals and digits. Words, dates and numbers hardly do. */
function looksDrawn(part: string): boolean {
  const kinds = part
    .replaceAll(/[-_]/g, "")
    .replaceAll(/[a-z]+/g, "a")
    .replaceAll(/[A-Z]+/g, "A")
    .replaceAll(/\d+/g, "0");
  return /\d/.test(kinds) && /[Aa]/.test(kinds) && kinds.length > Math.max(4, part.length / 6);
}

/** Ids that count up: those of other records share most of it (MongoDB's, and UUIDs of all versions but the random one). */
function isRecordId(part: string): boolean {
  return /^(?:[0-9a-f]{24}|[0-9a-f]{8}-[0-9a-f]{4}-(?!4)[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i.test(part);
}
