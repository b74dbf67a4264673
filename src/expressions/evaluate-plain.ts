import { copyJson } from "./json-value.ts";
import { bareCall, textCall } from "./plain-calls.ts";
import type { CallName, PairSign, Plain } from "./plain-expression.ts";
import {
  ASK_JQ,
  compare,
  indexOf,
  isContainer,
  isSame,
  isTrue,
  LONGEST_TEXT,
  recordOf,
  sliceOf,
  textOf,
} from "./plain-values.ts";

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
      case "<":
      case "<=":
      case ">":
      case ">=":
        return [compare(sign, this.#one(left, input), this.#one(right, input))];
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
