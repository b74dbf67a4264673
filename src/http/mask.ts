import type { Secret } from "../kernel/index.ts";
import { secretPatterns } from "./secret-patterns.ts";

const MASK = Buffer.from("[redacted]");

interface Held {
  readonly bytes: Buffer;
  /** 1 where the byte belongs to a secret that was found already. */
  readonly hidden: Uint8Array;
}

/** Hides a lease's secrets in what a server sends back, however it is cut into chunks. */
export class Mask {
  readonly #patterns: readonly Buffer[];
  readonly #longest: number;
  readonly #firsts: ReadonlySet<number>;

  constructor(secrets: readonly Secret[]) {
    const texts = new Set(secrets.flatMap((secret) => secretPatterns(secret.reveal())));
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
    return this.#patterns.some((pattern) => bytes.includes(pattern));
  }

  text(text: string): string {
    if (!this.finds(text)) return text;
    const bytes = Buffer.from(text);
    return Buffer.concat([...this.#show(this.#mark(nothing, bytes), bytes.length, false)]).toString();
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
    return { bytes, hidden };
  }

  /** Where a secret may have begun that the next chunk completes; held back no longer than needed, for streams of events. */
  #undecided(bytes: Buffer): number {
    const start = Math.max(0, bytes.length - this.#longest + 1);
    for (let at = start; at < bytes.length; at++) {
      if (!this.#firsts.has(bytes[at] ?? 0)) continue;
      const tail = bytes.subarray(at);
      const begins = (pattern: Buffer) =>
        pattern.length > tail.length && tail.equals(pattern.subarray(0, tail.length));
      if (this.#patterns.some(begins)) return at;
    }
    return bytes.length;
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
