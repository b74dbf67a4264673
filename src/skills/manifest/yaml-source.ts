import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
} from "yaml";
import type { Problem } from "../problem.ts";
import type { ManifestSource, Path } from "./manifest-source.ts";

export type { Path } from "./manifest-source.ts";

/** Enough for any manifest that a person wrote; less than would hold up the engine. */
const LARGEST = 256 * 1024;
const DEEPEST = 48;
const MOST_NODES = 20_000;
const MOST_ALIASES = 100;
/** Of a file that is wrong everywhere, the first few say it. */
const MOST_ERRORS = 10;

/** A YAML file's content and where in it each part stands. */
export class YamlSource implements ManifestSource {
  readonly file: string;
  readonly data: unknown;
  readonly #root: Node | null;
  readonly #document: Document;
  readonly #lines: LineCounter;

  private constructor(file: string, document: Document, lines: LineCounter, data: unknown) {
    this.file = file;
    this.data = data;
    this.#document = document;
    this.#root = document.contents;
    this.#lines = lines;
  }

  /** Never throws for what is in the file. */
  static parse(bytes: Uint8Array, file: string): YamlSource | { problems: readonly Problem[] } {
    const fail = (message: string, offset?: number, hint?: string) => ({
      severity: "error" as const,
      message,
      file,
      ...(hint === undefined ? {} : { hint }),
      ...(offset === undefined ? {} : place(lines, offset)),
    });
    const lines = new LineCounter();
    if (bytes.length > LARGEST)
      return { problems: [fail(`is over ${LARGEST / 1024} KB, which no manifest needs`)] };
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return { problems: [fail("is not UTF-8 text")] };
    }
    const control = /[\0-\x08\x0b\x0c\x0e-\x1f]/.exec(text);
    if (control !== null) return { problems: [fail("has characters in it that no text has", control.index)] };
    if (tooDeep(text)) return { problems: [fail(`is nested more than ${DEEPEST} deep`)] };

    // The parser's own search for keys that are there twice takes time that grows with the square of their number.
    const options = { uniqueKeys: false, prettyErrors: false, merge: true, logLevel: "silent" } as const;
    const documents = parseAllDocuments(text, { ...options, lineCounter: lines });
    const [document, second] = Array.isArray(documents) ? documents : [];
    if (document === undefined) return { problems: [fail("is empty")] };
    const errors = document.errors.map(({ code, message, pos }) =>
      fail(inWords(code, message), pos[0], hintFor(code)),
    );
    if (second !== undefined && errors.length === 0) {
      errors.push(fail("has more than one document; a line of three dashes begins another", second.range[0]));
    }
    for (const offset of repeatedKeys(document.contents)) {
      errors.push(fail("this key is here twice", offset, "Keep one of the two."));
    }
    const tag = document.warnings[0];
    if (tag !== undefined) errors.push(fail("has a tag that means nothing here", tag.pos[0]));
    if (errors.length > 0) return { problems: errors.slice(0, MOST_ERRORS) };

    let data: unknown;
    try {
      data = document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown;
    } catch {
      return { problems: [fail("repeats itself by aliases more than it may")] };
    }
    const source = new YamlSource(file, document, lines, data);
    const wrong = findUnusable(data);
    if (wrong !== undefined) {
      return { problems: [{ ...fail(wrong.message), ...source.at(wrong.path, "key") }] };
    }
    return source;
  }

  /** Where a value or its key begins; the nearest part around it that is there, if it is not. */
  at(path: Path, what: "key" | "value" = "value"): { line: number; column: number } {
    let node: unknown = this.#root;
    let offset = rangeOf(node) ?? 0;
    for (const [index, step] of path.entries()) {
      const inside = this.#inside(node, String(step));
      if (inside === undefined) break;
      node = inside.value;
      const atKey = what === "key" && index === path.length - 1;
      offset = (atKey ? rangeOf(inside.key) : (rangeOf(node) ?? rangeOf(inside.key))) ?? offset;
    }
    return place(this.#lines, offset);
  }

  /** The same for a path written as one text, such as `rest.body.a.b[0]`: keys may have dots in them. */
  atField(base: Path, field: string): { line: number; column: number } {
    const path = [...base];
    let node = path.reduce<unknown>((at, step) => this.#inside(at, String(step))?.value, this.#root);
    let rest = field;
    while (rest !== "") {
      const step = this.#keysOf(node).find((key) => startsAt(rest, key, isSeq(this.#resolved(node))));
      if (step === undefined) break;
      path.push(step);
      node = this.#inside(node, step)?.value;
      rest = rest
        .replace(/^\.|^\[/, "")
        .slice(step.length)
        .replace(/^\]/, "");
    }
    return this.at(path);
  }

  #resolved(node: unknown): unknown {
    return isAlias(node) ? node.resolve(this.#document) : node;
  }

  #keysOf(node: unknown): string[] {
    const at = this.#resolved(node);
    if (isSeq(at)) return at.items.map((_, index) => String(index));
    // Longest first: `a.b` before `a`.
    return isMap(at) ? at.items.map((pair) => keyOf(pair)).toSorted((a, b) => b.length - a.length) : [];
  }

  #inside(node: unknown, step: string): { key: unknown; value: unknown } | undefined {
    const at = this.#resolved(node);
    if (isMap(at)) return at.items.find((pair) => keyOf(pair) === step);
    if (!isSeq(at) || !/^\d+$/.test(step)) return undefined;
    const item = at.items[Number(step)];
    return item === undefined ? undefined : { key: item, value: item };
  }
}

function place(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}

function rangeOf(node: unknown): number | undefined {
  return (node as Partial<Node> | null | undefined)?.range?.[0];
}

function startsAt(rest: string, key: string, isIndex: boolean): boolean {
  if (isIndex) return rest.startsWith(`[${key}]`);
  const bare = rest.replace(/^\./, "");
  return bare.startsWith(key) && /^($|[.[])/.test(bare.slice(key.length));
}

/** Before parsing: the parser's own nesting costs time that grows with the square of the depth. */
function tooDeep(text: string): boolean {
  let depth = 0;
  for (const bracket of text.match(/[[\]{}]/g) ?? []) {
    depth = bracket === "[" || bracket === "{" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > DEEPEST * 8) return true;
  }
  return false;
}

function* repeatedKeys(node: unknown): Generator<number> {
  if (isSeq(node)) for (const item of node.items) yield* repeatedKeys(item);
  if (!isMap(node)) return;
  const seen = new Set<string>();
  for (const pair of node.items) {
    const key = keyOf(pair);
    if (seen.has(key) && key !== "<<") yield rangeOf(pair.key) ?? 0;
    seen.add(key);
    yield* repeatedKeys(pair.value);
  }
}

/** What cannot be JSON, or would be another thing than it looks like. */
function findUnusable(data: unknown): { message: string; path: Path } | undefined {
  let nodes = 0;
  const visit = (value: unknown, path: Path): { message: string; path: Path } | undefined => {
    if (++nodes > MOST_NODES) return { message: "has more parts than a manifest may have", path: [] };
    if (path.length > DEEPEST) return { message: `is nested more than ${DEEPEST} deep`, path };
    if (typeof value === "number" && !Number.isFinite(value))
      return { message: "has a number JSON has not", path };
    if (typeof value !== "object" || value === null) return undefined;
    if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) {
      return { message: "has a value that is neither text, number, list nor map", path };
    }
    for (const [key, inside] of Object.entries(value)) {
      const at = [...path, key];
      if (key === "__proto__") return { message: "has a key __proto__, which cannot be used", path: at };
      const found = visit(inside, at);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return visit(data, []);
}

function inWords(code: string, message: string): string {
  switch (code) {
    case "TAB_AS_INDENT":
      return "a tab is used to indent";
    case "RESOURCE_EXHAUSTION":
      return `is nested more than ${DEEPEST} deep`;
    case "BAD_INDENT":
      return "this is not indented like what it belongs to";
    case "MULTILINE_IMPLICIT_KEY":
      return "a line without a colon, or text that needs quotes";
    default:
      return `is not YAML: ${message.charAt(0).toLowerCase()}${message.slice(1).split("\n")[0]}`;
  }
}

function hintFor(code: string): string | undefined {
  switch (code) {
    case "TAB_AS_INDENT":
      return "Indent with spaces.";
    case "MULTILINE_IMPLICIT_KEY":
    case "BLOCK_AS_IMPLICIT_KEY":
      return "Text with a colon and a space in it is written in quotes.";
    case "UNEXPECTED_TOKEN":
      return "Inside braces, text with brackets or a comma in it, such as email[], is written in quotes.";
    default:
      return undefined;
  }
}
