import type { Token } from "./tokens.ts";

/** An expression of jq's that is simple enough to be evaluated here: see evaluate-plain.ts. */
export type Plain =
  | { readonly kind: "input" }
  | { readonly kind: "constant"; readonly value: null | boolean | number | string }
  | { readonly kind: "index"; readonly of: Plain; readonly step: string | number }
  | { readonly kind: "slice"; readonly of: Plain; readonly from: number; readonly to: number | undefined }
  | { readonly kind: "each"; readonly of: Plain }
  | { readonly kind: "list"; readonly of: Plain | undefined }
  | { readonly kind: "record"; readonly entries: readonly (readonly [string, Plain])[] }
  | { readonly kind: "pair"; readonly sign: PairSign; readonly left: Plain; readonly right: Plain }
  | { readonly kind: "if"; readonly test: Plain; readonly yes: Plain; readonly no: Plain }
  | { readonly kind: "call"; readonly name: CallName; readonly of: Plain | undefined };

/** Loosest first, as jq's grammar has them; `and` and `or` are words. */
const SIGNS = ["|", ",", "//", "or", "and", "==", "!=", "<", "<=", ">", ">=", "+"] as const;
export type PairSign = (typeof SIGNS)[number];
const LEVEL: Readonly<Record<PairSign, number>> = {
  "|": 0,
  ",": 1,
  "//": 2,
  or: 3,
  and: 4,
  "==": 5,
  "!=": 5,
  "<": 5,
  "<=": 5,
  ">": 5,
  ">=": 5,
  "+": 6,
};
/** Binds an object's value: a comma there begins the next key. */
const VALUE_LEVEL = 2;

const CALLS = {
  none: [
    "empty",
    "not",
    "length",
    "type",
    "tostring",
    "tonumber",
    "ascii_downcase",
    "ascii_upcase",
    "first",
    "last",
  ],
  one: ["select", "map", "with_entries", "join", "split", "startswith", "endswith"],
} as const;
export type CallName = (typeof CALLS)["none" | "one"][number] | "@uri";

/** Undefined where it is more than this: jq evaluates it then. The tokens are of an expression that compiles. */
export function readPlain(tokens: readonly Token[]): Plain | undefined {
  const reader = new Reader(tokens);
  try {
    const plain = reader.pipe();
    return reader.atEnd ? plain : undefined;
  } catch (error) {
    if (error === NOT_PLAIN) return undefined;
    throw error;
  }
}

const NOT_PLAIN = Symbol();
const INPUT: Plain = { kind: "input" };

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get atEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  pipe(): Plain {
    return this.#level(0);
  }

  /** One level of binding at a time; `|` and `//` bind to the right, `==` to nothing. */
  #level(level: number): Plain {
    if (level > LEVEL["+"]) return this.#term();
    const left = this.#level(level + 1);
    const sign = SIGNS.find((one) => LEVEL[one] === level && this.#peek(one));
    if (sign === undefined) return left;
    this.#at += 1;
    if (level === LEVEL["|"] || level === LEVEL["//"])
      return { kind: "pair", sign, left, right: this.#level(level) };
    return this.#rest(level, { kind: "pair", sign, left, right: this.#level(level + 1) });
  }

  #rest(level: number, left: Plain): Plain {
    const sign = SIGNS.find((one) => LEVEL[one] === level && this.#peek(one));
    if (sign === undefined) return left;
    if (level === LEVEL["=="]) throw NOT_PLAIN;
    this.#at += 1;
    return this.#rest(level, { kind: "pair", sign, left, right: this.#level(level + 1) });
  }

  #value(): Plain {
    const left = this.#level(VALUE_LEVEL);
    return this.#skip("|") ? { kind: "pair", sign: "|", left, right: this.#value() } : left;
  }

  #term(): Plain {
    let term = this.#head();
    for (;;) {
      const field = this.#tokens[this.#at];
      if (field?.kind === "field") {
        this.#at += 1;
        term = { kind: "index", of: term, step: field.value.slice(1) };
      } else if (this.#skip(".")) term = this.#afterDot(term);
      else if (this.#peek("[", "open")) term = this.#bracket(term);
      else return term;
    }
  }

  #head(): Plain {
    const token = this.#tokens[this.#at++];
    switch (token?.kind) {
      case "field":
        return { kind: "index", of: INPUT, step: token.value.slice(1) };
      case "text":
        return { kind: "constant", value: plainText(token) };
      case "number":
        return { kind: "constant", value: plainNumber(token) };
      case "name":
        return this.#word(token.value);
      case "format":
        // Before a string it is about what is put into that.
        if (token.value !== "@uri" || this.#peekKind("text")) throw NOT_PLAIN;
        return { kind: "call", name: "@uri", of: undefined };
      case "open":
        return this.#group(token.value);
      case "sign":
        if (token.value !== ".") throw NOT_PLAIN;
        return this.#peekKind("text") ? this.#afterDot(INPUT) : INPUT;
      default:
        throw NOT_PLAIN;
    }
  }

  #afterDot(of: Plain): Plain {
    const token = this.#tokens[this.#at];
    if (token?.kind === "text") {
      this.#at += 1;
      return { kind: "index", of, step: plainText(token) };
    }
    if (this.#peek("[", "open")) return this.#bracket(of);
    throw NOT_PLAIN;
  }

  #bracket(of: Plain): Plain {
    this.#expect("[");
    if (this.#skip("]")) return { kind: "each", of };
    const token = this.#tokens[this.#at];
    if (token?.kind === "text") {
      this.#at += 1;
      this.#expect("]");
      return { kind: "index", of, step: plainText(token) };
    }
    const from = this.#peek(":") ? undefined : this.#integer();
    if (this.#skip(":")) {
      const to = this.#peek("]") ? undefined : this.#integer();
      if (from === undefined && to === undefined) throw NOT_PLAIN;
      this.#expect("]");
      return { kind: "slice", of, from: from ?? 0, to };
    }
    this.#expect("]");
    return { kind: "index", of, step: from ?? 0 };
  }

  #integer(): number {
    const negative = this.#skip("-");
    const token = this.#tokens[this.#at++];
    if (token?.kind !== "number" || !/^\d{1,9}$/.test(token.value)) throw NOT_PLAIN;
    return negative ? -Number(token.value) : Number(token.value);
  }

  #group(open: string): Plain {
    if (open === "(") {
      const inner = this.pipe();
      this.#expect(")");
      return inner;
    }
    if (open === "[") {
      if (this.#skip("]")) return { kind: "list", of: undefined };
      const of = this.pipe();
      this.#expect("]");
      return { kind: "list", of };
    }
    if (open !== "{") throw NOT_PLAIN;
    const entries: (readonly [string, Plain])[] = [];
    while (!this.#skip("}")) {
      if (entries.length > 0) this.#expect(",");
      entries.push(this.#entry());
    }
    return { kind: "record", entries };
  }

  #entry(): readonly [string, Plain] {
    const token = this.#tokens[this.#at++];
    if (token?.kind !== "key" && token?.kind !== "text") throw NOT_PLAIN;
    const key = token.kind === "key" ? token.value : plainText(token);
    if (this.#skip(":")) return [key, this.#value()];
    if (token.kind !== "key") throw NOT_PLAIN;
    return [key, { kind: "index", of: INPUT, step: key }];
  }

  #word(word: string): Plain {
    if (word === "null" || word === "true" || word === "false")
      return { kind: "constant", value: word === "null" ? null : word === "true" };
    if (word === "if") return this.#condition();
    const bare = CALLS.none.find((one) => one === word);
    if (bare !== undefined && !this.#peek("(", "open")) return { kind: "call", name: bare, of: undefined };
    const name = CALLS.one.find((one) => one === word);
    if (name === undefined || !this.#skip("(")) throw NOT_PLAIN;
    const of = this.pipe();
    this.#expect(")");
    return { kind: "call", name, of };
  }

  /** Without `else` it is what it was given. */
  #condition(): Plain {
    const test = this.pipe();
    this.#expect("then");
    const yes = this.pipe();
    if (this.#skip("elif")) return { kind: "if", test, yes, no: this.#condition() };
    const no = this.#skip("else") ? this.pipe() : INPUT;
    this.#expect("end");
    return { kind: "if", test, yes, no };
  }

  /** `\(` and strings hold what look like signs: those are of other kinds. */
  #peek(value: string, kind?: Token["kind"]): boolean {
    const token = this.#tokens[this.#at];
    if (token?.value !== value || token.kind === "text" || token.kind === "key") return false;
    return kind === undefined || token.kind === kind;
  }

  #peekKind(kind: Token["kind"]): boolean {
    return this.#tokens[this.#at]?.kind === kind;
  }

  #skip(value: string): boolean {
    const there = this.#peek(value);
    if (there) this.#at += 1;
    return there;
  }

  #expect(value: string): void {
    if (!this.#skip(value)) throw NOT_PLAIN;
  }
}

function plainText({ value }: Token): string {
  if (/[\\\p{Cc}]/u.test(value)) throw NOT_PLAIN;
  return value;
}

/** jq keeps the digits of a literal; these are all numbers JavaScript writes the same way. */
function plainNumber({ value }: Token): number {
  if (!/^\d{1,15}(?:\.\d{1,6})?$/.test(value)) throw NOT_PLAIN;
  return Number(value);
}
