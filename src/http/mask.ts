import type { Secret } from "../kernel/index.ts";
import { secretPatterns, shortPatterns } from "./secret-patterns.ts";
import { SecretPieces } from "./secret-pieces.ts";

const MASK = Buffer.from("[redacted]");

interface Held {
  readonly bytes: Buffer;
  /** 1 where the byte belongs to a secret that was found already. */
  readonly hidden: Uint8Array;
}

/**
 * Hides a lease's secrets in what a server sends back, however it is cut into chunks: whole ones in the forms a server
 * may give them, and as they are also parts of them.
 */
export class Mask {
  readonly #pieces: SecretPieces;
  readonly #patterns: readonly Buffer[];
  readonly #longest: number;
  readonly #firsts: ReadonlySet<number>;

  /** `written` was made of secrets by the request's own templates: it is hidden however short. */
  constructor(secrets: readonly Secret[], written: readonly Secret[] = []) {
    const values = [...secrets, ...written].map((secret) => secret.reveal());
    const short = written.flatMap((secret) => shortPatterns(secret.reveal()));
    const texts = new Set([...values.flatMap(secretPatterns), ...short]);
    this.#pieces = new SecretPieces(values);
    this.#patterns = [...texts].map((text) => Buffer.from(text));
    this.#longest = this.#patterns.reduce((most, { length }) => Math.max(most, length), 0);
    this.#firsts = new Set(this.#patterns.map((pattern) => pattern[0] ?? 0));
  }

  get isEmpty(): boolean {
    return this.#patterns.length === 0;
  }

  /** Whether the text carries a secret in any form. */
  finds(text: string): boolean {
    const bytes = Buffer.from(text);
    if (this.#patterns.some((pattern) => bytes.includes(pattern))) return true;
    let found = false;
    this.#pieces.find(bytes, () => {
      found = true;
    });
    return found;
  }

  text(text: string): string {
    if (!this.finds(text)) return text;
    const bytes = Buffer.from(text);
    return Buffer.concat([...this.#show(this.#mark(nothing, bytes), bytes.length, false)]).toString();
  }

  /** Where it goes stays readable: a host is no secret, even where a part of one looks like it. */
  url({ origin, href }: URL): string {
    return `${origin}${this.text(href.slice(origin.length))}`;
  }

  async *bytes(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    if (this.isEmpty) return yield* source;
    let held = nothing;
    let open = false;
    for await (const chunk of source) {
      const seen = this.#mark(held, chunk);
      const cut = this.#undecided(seen.bytes);
      yield* this.#show(seen, cut, open);
      if (cut > 0) open = seen.hidden[cut - 1] === 1;
      held = { bytes: seen.bytes.subarray(cut), hidden: seen.hidden.subarray(cut) };
    }
    yield* this.#show(held, held.bytes.length, open);
  }

  #mark(held: Held, chunk: Uint8Array): Held {
    const bytes = Buffer.concat([held.bytes, chunk]);
    const hidden = new Uint8Array(bytes.length);
    hidden.set(held.hidden);
    for (const pattern of this.#patterns) {
      for (let at = bytes.indexOf(pattern); at >= 0; at = bytes.indexOf(pattern, at + 1))
        hidden.fill(1, at, at + pattern.length);
    }
    this.#pieces.find(bytes, (from, to) => hidden.fill(1, from, to));
    return { bytes, hidden };
  }

  /** Where a secret may have begun that the next chunk completes; held back no longer than needed, for streams of events. */
  #undecided(bytes: Buffer): number {
    const end = this.#pieces.undecided(bytes);
    const start = Math.max(0, bytes.length - this.#longest + 1);
    for (let at = start; at < end; at++) {
      if (!this.#firsts.has(bytes[at] ?? 0)) continue;
      const tail = bytes.subarray(at);
      const begins = (pattern: Buffer) =>
        pattern.length > tail.length && tail.equals(pattern.subarray(0, tail.length));
      if (this.#patterns.some(begins)) return at;
    }
    return end;
  }

  /** The bytes up to `end`, one mask for each run of hidden ones; `open` says that the last shown byte was hidden. */
  *#show({ bytes, hidden }: Held, end: number, open: boolean): Generator<Uint8Array, void> {
    let at = 0;
    let inside = open;
    while (at < end) {
      const flag = hidden[at];
      const next = hidden.indexOf(flag === 1 ? 0 : 1, at);
      const to = next < 0 || next > end ? end : next;
      if (flag !== 1) yield bytes.subarray(at, to);
      else if (!inside) yield MASK;
      inside = flag === 1;
      at = to;
    }
  }
}

const nothing: Held = { bytes: Buffer.alloc(0), hidden: new Uint8Array(0) };
