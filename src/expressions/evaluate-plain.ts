import { copyJson } from "./json-value.ts";
import type { CallName, PairSign, Plain } from "./plain-expression.ts";

const LONGEST_TEXT = 1024 * 1024;
const DEEPEST = 200;

/** What may be done here before the rest is left to jq, in its own thread: this one serves everybody. */
export class PlainBudget {
  #left = 100_000;

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw ASK_JQ;
  }
}

/**
 * What a plain expression gives first, null where it gives nothing. Undefined where something is not plainly so: a type
 * that does not fit, several results where one is meant, too much work. jq is asked then, and says what it is.
 */
export function evaluatePlain(
  plain: Plain,
  input: unknown,
  budget: PlainBudget,
): { readonly value: unknown } | undefined {
  try {
    const [first = null] = new PlainRun(budget).results(plain, input);
    // What was put together twice is one object here, and would be two in the copy.
    new Measure(budget).take(first, 0);
    return { value: copyJson(first) };
  } catch (error) {
    if (error === ASK_JQ) return undefined;
    throw error;
  }
}

const ASK_JQ = Symbol();
type Results = readonly unknown[];

class Measure {
  readonly #budget: PlainBudget;
  #text = 0;

  constructor(budget: PlainBudget) {
    this.#budget = budget;
  }

  take(value: unknown, depth: number): void {
    this.#budget.spend(1);
    if (typeof value === "string") this.#text += value.length;
    if (this.#text > LONGEST_TEXT || depth > DEEPEST) throw ASK_JQ;
    if (!isContainer(value)) return;
    for (const [key, inner] of Object.entries(value as object)) {
      this.#text += key.length;
      this.take(inner, depth + 1);
    }
  }
}

class PlainRun {
  readonly #budget: PlainBudget;

  constructor(budget: PlainBudget) {
    this.#budget = budget;
  }

  results(plain: Plain, input: unknown): Results {
    this.#budget.spend(1);
    switch (plain.kind) {
      case "input":
        return [input];
      case "constant":
        return [plain.value];
      case "index":
        return this.results(plain.of, input).map((value) => indexOf(value, plain.step));
      case "slice":
        return this.results(plain.of, input).map((value) => sliceOf(value, plain.from, plain.to));
      case "each":
        return this.results(plain.of, input).flatMap((value) => this.#elements(value));
      case "list":
        return [plain.of === undefined ? [] : this.results(plain.of, input)];
      case "record":
        return this.#record(plain.entries, input);
      case "pair":
        return this.#pair(plain.sign, plain.left, plain.right, input);
      case "if":
        return this.results(isTrue(this.#one(plain.test, input)) ? plain.yes : plain.no, input);
      case "call":
        return this.#call(plain.name, plain.of, input);
    }
  }

  #one(plain: Plain, input: unknown): unknown {
    const results = this.results(plain, input);
    if (results.length !== 1) throw ASK_JQ;
    return results[0];
  }

  #elements(value: unknown): Results {
    if (!Array.isArray(value)) throw ASK_JQ;
    this.#budget.spend(value.length);
    return value.map((one: unknown) => one ?? null);
  }

  #record(entries: readonly (readonly [string, Plain])[], input: unknown): Results {
    const made: [string, unknown][] = [];
    let none = false;
    for (const [key, plain] of entries) {
      const results = this.results(plain, input);
      if (results.length > 1) throw ASK_JQ;
      if (results.length === 0) none = true;
      made.push([key, results[0]]);
    }
    return none ? [] : [Object.fromEntries(made)];
  }

  #pair(sign: PairSign, left: Plain, right: Plain, input: unknown): Results {
    switch (sign) {
      case "|":
        return this.results(left, input).flatMap((value) => this.results(right, value));
      case ",":
        return [...this.results(left, input), ...this.results(right, input)];
      case "//": {
        const found = this.results(left, input).filter(isTrue);
        return found.length > 0 ? found : this.results(right, input);
      }
      case "or":
        return [isTrue(this.#one(left, input)) || isTrue(this.#one(right, input))];
      case "and":
        return [isTrue(this.#one(left, input)) && isTrue(this.#one(right, input))];
      case "==":
      case "!=":
        return [isSame(this.#one(left, input), this.#one(right, input)) === (sign === "==")];
      case "+":
        return [this.#sum(this.#one(left, input), this.#one(right, input))];
    }
  }

  #call(name: CallName, of: Plain | undefined, input: unknown): Results {
    if (of === undefined) return name === "empty" ? [] : [bareCall(name, input)];
    switch (name) {
      case "select":
        return isTrue(this.#one(of, input)) ? [input] : [];
      case "map":
        return [this.#elements(input).flatMap((value) => this.results(of, value))];
      case "with_entries":
        return [this.#withEntries(of, input)];
      default:
        return [textCall(name, input, this.#one(of, input))];
    }
  }

  #sum(left: unknown, right: unknown): unknown {
    if (left === null || left === undefined) return right ?? null;
    if (right === null || right === undefined) return left;
    if (typeof left === "string" && typeof right === "string") return textOf(left) + textOf(right);
    if (Array.isArray(left) && Array.isArray(right))
      return [...this.#elements(left), ...this.#elements(right)];
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return Number(left) + Number(right);
    throw ASK_JQ;
  }

  #withEntries(of: Plain, input: unknown): unknown {
    const entries = Object.entries(recordOf(input)).filter(([, value]) => value !== undefined);
    const made = entries.flatMap(([key, value]) => this.results(of, { key, value }));
    return Object.fromEntries(
      made.map((entry) => {
        const { key, value = null } = recordOf(entry);
        // jq takes other names for the two, and other types for the key.
        if (typeof key !== "string" || !Object.hasOwn(recordOf(entry), "value")) throw ASK_JQ;
        return [key, value];
      }),
    );
  }
}

function isTrue(value: unknown): boolean {
  return value !== null && value !== undefined && value !== false;
}

function indexOf(value: unknown, step: string | number): unknown {
  if (value === null || value === undefined) return null;
  if (typeof step === "number") {
    if (!Array.isArray(value)) throw ASK_JQ;
    return (value.at(step) as unknown) ?? null;
  }
  const record = recordOf(value);
  return Object.hasOwn(record, step) ? (record[step] ?? null) : null;
}

/** By characters, not by halves of them. */
function sliceOf(value: unknown, from: number, to: number | undefined): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.slice(from, to);
  const text = textOf(value);
  return isAscii(text) ? text.slice(from, to) : Array.from(text.toWellFormed()).slice(from, to).join("");
}

function isSame(left: unknown, right: unknown): boolean {
  if (isContainer(left) && isContainer(right)) throw ASK_JQ;
  return (left ?? null) === (right ?? null);
}

function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function bareCall(name: CallName, input: unknown): unknown {
  const value = input ?? null;
  switch (name) {
    case "not":
      return !isTrue(value);
    case "type":
      return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    case "length":
      return lengthOf(value);
    case "tostring":
      if (typeof value === "string") return value;
      if (value === null || typeof value === "boolean" || Number.isSafeInteger(value))
        return JSON.stringify(value);
      throw ASK_JQ;
    case "ascii_downcase":
      return textOf(value).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
    case "ascii_upcase":
      return textOf(value).replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
    case "first":
      return indexOf(value, 0);
    case "last":
      return indexOf(value, -1);
    default:
      throw ASK_JQ;
  }
}

function textCall(name: CallName, input: unknown, given: unknown): unknown {
  const by = textOf(given);
  switch (name) {
    case "join":
      if (!Array.isArray(input)) throw ASK_JQ;
      return joined(input.map(textOf), by);
    case "split": {
      const text = textOf(input);
      if (text === "" || by === "") throw ASK_JQ;
      return text.split(by);
    }
    case "startswith":
      return textOf(input).startsWith(by);
    case "endswith":
      return textOf(input).endsWith(by);
    default:
      throw ASK_JQ;
  }
}

function joined(texts: readonly string[], by: string): string {
  if (texts.reduce((sum, { length }) => sum + length + by.length, 0) > LONGEST_TEXT) throw ASK_JQ;
  return texts.join(by);
}

function lengthOf(value: unknown): number {
  if (value === null) return 0;
  if (typeof value === "string")
    return isAscii(textOf(value)) ? value.length : Array.from(value.toWellFormed()).length;
  if (Array.isArray(value)) return value.length;
  return Object.values(recordOf(value)).filter((one) => one !== undefined).length;
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  return /^[\x00-\x7f]*$/.test(text);
}

function textOf(value: unknown): string {
  if (typeof value !== "string" || value.length > LONGEST_TEXT) throw ASK_JQ;
  return value;
}

function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw ASK_JQ;
  return value as Record<string, unknown>;
}
