import { randomBytes } from "node:crypto";
import type { Loan } from "../../auth/index.ts";
import { DeputyError } from "../../kernel/index.ts";

const PREFIX = "deputy-handle-";
const PATTERN = new RegExp(`${PREFIX}[0-9a-f]{32}`, "g");

/**
 * The stand-ins a run's code holds instead of secrets. Each is good for this run only, and is replaced on the way out,
 * toward hosts that may have the value.
 */
export class Handles {
  readonly #values = new Map<string, string>();

  /** `auth` with a handle in place of every text in it. */
  cover(auth: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(auth).map(([name, value]) => [name, this.#coverValue(value, 0)]),
    );
  }

  has(text: string): boolean {
    return text.includes(PREFIX);
  }

  begins(text: string): boolean {
    return text.startsWith(PREFIX);
  }

  /** The value with secrets in place of handles, for what never leaves the engine. */
  reveal(value: unknown): unknown {
    if (typeof value === "string")
      return value.replace(PATTERN, (handle) => this.#values.get(handle) ?? handle);
    if (Array.isArray(value)) return value.map((one) => this.reveal(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.reveal(inner)]));
  }

  /** The text with the values in it. DENIED where the address may not have them. */
  uncover(text: string, url: string, loan: Loan): string {
    if (!this.has(text)) return text;
    return text.replace(PATTERN, (handle) => {
      const value = this.#values.get(handle);
      if (value === undefined) return handle; // another run's, or made up: it stands for nothing
      if (loan.mayCarry(url)) return value;
      throw new DeputyError(
        "DENIED",
        `Cannot send the login to ${hostOf(url)}: its connection does not cover it`,
        {
          hint: "List the host under `hosts:` of the connection; the owner is asked again then.",
        },
      );
    });
  }

  #coverValue(value: unknown, depth: number): unknown {
    if (typeof value === "string") {
      const handle = `${PREFIX}${randomBytes(16).toString("hex")}`;
      this.#values.set(handle, value);
      return handle;
    }
    if (depth > 8 || typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => this.#coverValue(one, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, this.#coverValue(inner, depth + 1)]),
    );
  }
}

/** Whether a stand-in is left anywhere in a value. */
export function holdsHandle(value: unknown): boolean {
  return JSON.stringify(value ?? null).includes(PREFIX);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "that address";
}
