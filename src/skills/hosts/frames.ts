import { DEEPEST } from "./host-limits.ts";

/** What ends a run because its process does not keep to the protocol: never an honest mistake of a skill's author. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}

export class FrameTooLarge extends ProtocolViolation {}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Cuts a stream into lines and reads each as one JSON object. */
export class FrameReader {
  readonly #largest: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(largest: number) {
    this.#largest = largest;
  }

  *read(chunk: Buffer): Generator<{ frame: JsonObject; bytes: number }> {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#add(chunk.subarray(start, end));
      const line = this.#parts.length === 1 && this.#parts[0] ? this.#parts[0] : Buffer.concat(this.#parts);
      this.#parts = [];
      this.#size = 0;
      start = end + 1;
      yield { frame: parseFrame(line.toString("utf8")), bytes: line.length };
    }
    this.#add(chunk.subarray(start));
  }

  #add(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#largest) throw new FrameTooLarge(`a message of more than ${this.#largest} bytes`);
    if (part.length > 0) this.#parts.push(part);
  }
}

function parseFrame(line: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ProtocolViolation("a message that is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ProtocolViolation("a message that is not an object");
  makeHarmless(value);
  return value as JsonObject;
}

/**
 * JSON.parse makes `__proto__` an own key, which the next spread or assignment turns into a prototype, and nests as
 * deep as it is told to, which the next recursive reader pays with its stack.
 */
function makeHarmless(root: object): void {
  let level: object[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw new ProtocolViolation(`a value nested deeper than ${DEEPEST}`);
    const next: object[] = [];
    for (const value of level) {
      if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
      for (const inner of Object.values(value) as unknown[])
        if (typeof inner === "object" && inner !== null) next.push(inner);
    }
    level = next;
  }
}
