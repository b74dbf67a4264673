import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

/** Every process below this one, as Linux lists them. */
export function descendants(pid = process.pid): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" "))
    .filter((child) => child !== "")
    .flatMap((child) => [Number(child), ...descendants(Number(child))]);
}

/** Which of the texts are somewhere in the process's memory, in the forms runtimes keep texts in. */
export function findInMemory(pid: number, texts: readonly string[]): { found: string[]; bytes: number } {
  const wanted = texts.flatMap((text) =>
    [
      Buffer.from(text),
      Buffer.from(text, "utf16le"),
      Buffer.from(Buffer.from(text).toString("base64").slice(0, -4)),
    ].map((form) => ({ text, form })),
  );
  const found = new Set<string>();
  let bytes = 0;
  const memory = openSync(`/proc/${pid}/mem`, "r");
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, "utf8").split("\n")) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line) ?? [];
      if (from === undefined || to === undefined || /\[v(var|sys)/.test(line)) continue;
      for (const part of readPart(memory, BigInt(`0x${from}`), BigInt(`0x${to}`))) {
        bytes += part.length;
        for (const { text, form } of wanted) if (part.includes(form)) found.add(text);
      }
    }
  } finally {
    closeSync(memory);
  }
  return { found: [...found].sort(), bytes };
}

/** In pieces that overlap, so that nothing hides where two meet. */
function* readPart(memory: number, from: bigint, to: bigint): Generator<Buffer> {
  const size = 4n * 1024n * 1024n;
  const overlap = 4096n;
  for (let at = from; at < to; at += size) {
    const end = at + size + overlap < to ? at + size + overlap : to;
    const part = Buffer.alloc(Number(end - at));
    try {
      yield part.subarray(0, readSync(memory, part, 0, part.length, at));
    } catch {} // reserved, not there
  }
}
