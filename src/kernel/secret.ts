import { inspect } from "node:util";

const REDACTED = "[redacted]";

/**
 * Bytes that never print. Every accidental way out (template strings, JSON, inspect, errors) gives
 * `[redacted]`; the deliberate ways are `bytes()` and `reveal()`. Disposing zeroes the buffer.
 *
 * A string made by `reveal()` stays in V8's heap until it is collected, and cannot be zeroed: use it late
 * and let go of it early.
 */
export class Secret implements Disposable {
  #bytes: Buffer | undefined;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Takes ownership: the caller must not keep or change `bytes`. */
  static fromBytes(bytes: Buffer): Secret {
    return new Secret(bytes);
  }

  static fromText(text: string): Secret {
    // allocUnsafeSlow: a pooled buffer shares memory that zeroing on dispose could not clear for good.
    const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
    bytes.write(text);
    return new Secret(bytes);
  }

  get length(): number {
    return this.bytes().length;
  }

  /** The live buffer, not a copy. Do not keep it past the secret's life. */
  bytes(): Buffer {
    if (this.#bytes === undefined) throw new TypeError("Secret used after it was disposed");
    return this.#bytes;
  }

  reveal(): string {
    return this.bytes().toString("utf8");
  }

  [Symbol.dispose](): void {
    this.#bytes?.fill(0);
    this.#bytes = undefined;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.toPrimitive](): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
