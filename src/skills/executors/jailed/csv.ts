import { type CsvTask, Unusable } from "./task.ts";

/** RFC 4180, with any line ending. With a header each line is an object; what a line lacks is null. */
export function parseCsv({ input, delimiter, header }: CsvTask): unknown {
  const lines = readLines(input.replace(/^\uFEFF/, ""), delimiter);
  if (!header) return lines;
  const [names, ...records] = lines;
  if (names === undefined) return [];
  return records.map((cells) => {
    if (cells.length > names.length) throw new Unusable("a line has more fields than the header");
    // fromEntries defines: an assignment to "__proto__" would set the prototype.
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null]));
  });
}

function readLines(text: string, delimiter: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  let at = 0;
  while (at < text.length) {
    const field = text[at] === '"' ? quoted(text, at) : bare(text, at, delimiter);
    line.push(field.value);
    at = field.end;
    if (text[at] === delimiter) {
      at += 1;
      if (at === text.length) line.push("");
      else continue;
    } else if (at < text.length && text[at] !== "\n" && text[at] !== "\r") {
      throw new Unusable(`line ${lines.length + 1} has text after a closing quote`);
    }
    at += text.startsWith("\r\n", at) ? 2 : 1;
    // An empty line is no record of one empty field.
    if (line.length > 1 || line[0] !== "") lines.push(line);
    line = [];
  }
  return lines;
}

interface Field {
  readonly value: string;
  readonly end: number;
}

function bare(text: string, from: number, delimiter: string): Field {
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return { value: text.slice(from, end), end };
}

function quoted(text: string, from: number): Field {
  let value = "";
  for (let at = from + 1; ; ) {
    const close = text.indexOf('"', at);
    if (close < 0) throw new Unusable("a quoted field has no end");
    value += text.slice(at, close);
    if (text[close + 1] !== '"') return { value, end: close + 1 };
    value += '"';
    at = close + 2;
  }
}
