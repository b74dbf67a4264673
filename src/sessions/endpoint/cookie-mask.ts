import type { HiddenCookie } from "../session.ts";
import { looksDrawn, MASK, secretForms } from "./secret-forms.ts";
import { TextFinder } from "./text-finder.ts";

/** Where cookies have a place of their own; elsewhere they are found by value. */
const CARRIES_COOKIES = /^(Network|Fetch|Storage|Audits)\./;
const MOST_LEARNT = 256;

/**
 * Hides the values of a session's cloned HttpOnly cookies in what its clients are told: by where cookies stand in the
 * protocol, however short, and by value anywhere else. A value the site put in the place of one is hidden like it.
 */
export class CookieMask {
  readonly #finder = new TextFinder();
  readonly #names: ReadonlySet<string>;
  readonly #cookies: ReadonlySet<string>;
  #learnt = 0;

  constructor(hidden: readonly HiddenCookie[]) {
    this.#names = new Set(hidden.map(({ name }) => name));
    this.#cookies = new Set(hidden.map(({ name, domain }) => keyOf(name, domain)));
    for (const { value } of hidden) this.#hide(value);
  }

  isMasked(text: string): boolean {
    return text.includes(MASK);
  }

  /** A message as it may be told: an event, or the answer to a method. */
  serialise(message: object, method: string): string {
    if (this.#names.size === 0) return JSON.stringify(message);
    const seen = CARRIES_COOKIES.test(method) ? this.#walk(message) : message;
    const text = JSON.stringify(seen);
    return this.#finder.has(text) ? JSON.stringify(this.#maskAll(seen)) : text;
  }

  /** Not any word: else a site could have one masked by setting it as a cookie. */
  #learn(value: string): void {
    if (!looksDrawn(value) || this.#finder.has(value) || this.#learnt >= MOST_LEARNT) return;
    this.#learnt++;
    this.#hide(value);
  }

  #hide(value: string): void {
    for (const form of secretForms(value)) this.#finder.add(form);
  }

  #walk(value: unknown, key = ""): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#walk(item, key));
    if (typeof value === "string") return this.#maskByPlace(value, key);
    if (typeof value !== "object" || value === null) return value;
    const record = value as Record<string, unknown>;
    if (this.#isHidden(record)) {
      this.#learn(String(record["value"]));
      return { ...record, value: MASK };
    }
    const { name, value: text } = record;
    if (typeof name === "string" && typeof text === "string")
      return { ...record, value: this.#maskByPlace(text, name) };
    return Object.fromEntries(
      Object.entries(record).map(([field, item]) => [field, this.#walk(item, field)]),
    );
  }

  /** `Network.Cookie` and what resembles it. */
  #isHidden({ name, value, domain, httpOnly }: Record<string, unknown>): boolean {
    if (httpOnly !== true || typeof value !== "string" || typeof name !== "string") return false;
    return this.#cookies.has(keyOf(name, String(domain)));
  }

  #maskByPlace(text: string, place: string): string {
    switch (place.toLowerCase()) {
      case "cookie":
        return this.#maskPairs(text, /(^|;\s*)([^=;]*)=([^;]*)/g);
      case "set-cookie":
      case "cookieline":
      case "rawcookieline":
        return this.#maskLines(text);
      case "headerstext":
      case "requestheaderstext":
        return text.replace(/^((?:set-)?cookie):[ \t]*(.*)$/gim, (_, name: string, line: string) => {
          return `${name}: ${this.#maskByPlace(line.trimEnd(), name)}`;
        });
      default:
        return text;
    }
  }

  /** Several Set-Cookie headers arrive as lines of one text. */
  #maskLines(text: string): string {
    const mask = (line: string) =>
      /;\s*httponly/i.test(line) ? this.#maskPairs(line, /^(\s*)([^=;]*)=([^;]*)/) : line;
    return text.split("\n").map(mask).join("\n");
  }

  #maskPairs(text: string, pairs: RegExp): string {
    return text.replace(pairs, (whole, before: string, name: string, value: string) => {
      if (!this.#names.has(name.trim()) || value === "") return whole;
      this.#learn(value.trim());
      return `${before}${name}=${MASK}`;
    });
  }

  #maskAll(value: unknown): unknown {
    if (typeof value === "string") return this.#finder.mask(value, MASK);
    if (Array.isArray(value)) return value.map((item) => this.#maskAll(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([field, item]) => [this.#finder.mask(field, MASK), this.#maskAll(item)]),
    );
  }
}

function keyOf(name: string, domain: string): string {
  return `${name}\0${domain.replace(/^\./, "").toLowerCase()}`;
}
