/** How the library begins that jq.wasm holds as text. */
const FIRST = "def halt_error: halt_error(5);";
const WORD = /[A-Za-z_]\w*/g;
/** What jq's grammar calls without the program naming it: `..`, `=`, `|=` and its kin. */
const UNNAMED = ["recurse", "_assign", "_modify"];
/** What tells of the library itself. */
const ALL = "builtins";

/**
 * jq's functions that are written in jq. It reads all of them at every start, which is most of what a start costs. Here
 * they are replaced in its memory by those a program names, and those that these name.
 */
export class JqLibrary {
  readonly #at: number;
  readonly #length: number;
  /** In jq's order: each uses only itself and those before it. */
  readonly #definitions: readonly { name: string; words: readonly string[]; text: string }[];

  /** Undefined where it is not found: jq then reads what it has. */
  static find(memory: Uint8Array<ArrayBuffer>): JqLibrary | undefined {
    const at = Buffer.from(memory.buffer, memory.byteOffset, memory.length).indexOf(FIRST);
    const end = memory.indexOf(0, at);
    if (at < 0 || end < 0) return undefined;
    return new JqLibrary(at, Buffer.from(memory.slice(at, end)).toString("latin1"));
  }

  private constructor(at: number, text: string) {
    this.#at = at;
    this.#length = text.length;
    this.#definitions = text.split(/^(?=def )/m).map((text) => {
      const words = text.match(WORD) ?? [];
      return { name: words[1] ?? "", words, text };
    });
  }

  /** Puts what a program may come to use where jq will read it. */
  placeFor(program: string, memory: Uint8Array): void {
    const wanted = new Set([...(program.match(WORD) ?? []), ...UNNAMED]);
    let text = "";
    for (const definition of this.#definitions.toReversed()) {
      if (!wanted.has(definition.name) && !wanted.has(ALL)) continue;
      text = definition.text + text;
      for (const word of definition.words) wanted.add(word);
    }
    memory.set(Buffer.from(text.padEnd(this.#length), "latin1"), this.#at);
  }
}
