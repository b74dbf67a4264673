import { type Expected, type JsonRecord, parseReturns, type ShapeBook } from "../../graph/index.ts";
import { isRecord } from "../../kernel/index.ts";
import { cleanCode, cleanLine, escapeStart } from "./clean-text.ts";
import { entityBlock } from "./entity-block.ts";
import { brief, entityLine } from "./entity-line.ts";
import { plainLines } from "./plain-lines.ts";
import { shownFields } from "./shown-fields.ts";
import type { View, Viewed } from "./view.ts";

/** Characters of a whole answer: what a small model can still read, and a terminal still shows. */
const LONGEST = { preview: 60_000, full: 200_000 } as const;
/** Characters of one text: there may be many entities. */
const LONGEST_TEXT = { one: 100_000, each: 4000, preview: 1000 } as const;
const MOST_LINES = { preview: 200, full: 5000 } as const;
const MOST_FIELDS_NAMED = 12;

/** For the smallest model: one entity a line, name first, its id in parentheses, what else can be asked for last. */
export function toMarkdown(result: Viewed, detail: View["detail"], book: ShapeBook): string {
  const expected = parseReturns(result.returns);
  const body = draw(expected, result.data, detail, book);
  const more = moreLines(result, expected, detail, book);
  return [...body, ...(more.length > 0 ? ["", "More:", ...more] : [])].join("\n");
}

function draw(expected: Expected, data: unknown, detail: View["detail"], book: ShapeBook): string[] {
  if (data === null || data === undefined) {
    return [
      expected.kind === "entity"
        ? `0 results (${expected.shape}). Nothing was found.`
        : "Done. There is nothing to show.",
    ];
  }
  if (expected.kind === "entity" && book.find(expected.shape) !== undefined) {
    if (Array.isArray(data)) return drawList(expected.shape, data, detail, book);
    if (isRecord(data)) {
      const longest = detail === "full" ? LONGEST_TEXT.one : LONGEST_TEXT.preview;
      return entityBlock(
        book,
        expected.shape,
        detail === "full" ? data : onlyShown(book, expected.shape, data),
        longest,
      );
    }
  }
  if (expected.kind === "keys" && isRecord(data)) {
    return Object.entries(data).flatMap(([key, value]) => {
      const inner = expected.keys.get(key);
      if (inner?.kind !== "entity" || value === null) return drawPlain({ [key]: value }, detail);
      return [`${escapeStart(cleanLine(key))}:`, ...draw(inner, value, detail, book)];
    });
  }
  return drawPlain(data, detail);
}

function drawPlain(data: unknown, detail: View["detail"]): string[] {
  const text = detail === "full" ? LONGEST_TEXT.one : LONGEST_TEXT.preview;
  return plainLines(data, { text, lines: MOST_LINES[detail] });
}

function drawList(
  shape: string,
  list: readonly unknown[],
  detail: View["detail"],
  book: ShapeBook,
): string[] {
  const count = `${list.length} ${list.length === 1 ? "result" : "results"} (${shape})`;
  if (list.length === 0) return [`${count}. Nothing was found.`];
  const lines = [count];
  let length = 0;
  for (const [index, one] of list.entries()) {
    const drawn = drawOne(shape, one, detail, book);
    length += drawn.length;
    if (length > LONGEST[detail] && index > 0) {
      lines.push(`(${list.length - index} more are not shown: ask for fewer at a time, or for format json)`);
      break;
    }
    lines.push(drawn);
  }
  return lines;
}

function drawOne(shape: string, one: unknown, detail: View["detail"], book: ShapeBook): string {
  if (!isRecord(one)) return `- ${escapeStart(brief(one))}`;
  if (detail === "preview") return `- ${escapeStart(entityLine(book, shape, one))}`;
  return `\n${entityBlock(book, shape, one, LONGEST_TEXT.each).join("\n")}`;
}

function onlyShown(book: ShapeBook, shape: string, record: JsonRecord): JsonRecord {
  const shown = shownFields(book, shape);
  const kept = Object.entries(record).filter(([key]) => shown.has(key));
  return kept.length > 0 ? Object.fromEntries(kept) : record;
}

function moreLines(result: Viewed, expected: Expected, detail: View["detail"], book: ShapeBook): string[] {
  const { full = 'view: {"detail": "full"}', next, get } = result.more ?? {};
  const lines: string[] = [];
  const hidden = detail === "preview" ? hiddenFields(expected, result.data, book) : [];
  if (hidden.length > 0) {
    const names = hidden.slice(0, MOST_FIELDS_NAMED).map(cleanLine).join(", ");
    const rest = hidden.length > MOST_FIELDS_NAMED ? ` and ${hidden.length - MOST_FIELDS_NAMED} more` : "";
    lines.push(`- all fields (also ${names}${rest}): ${cleanCode(full)}`);
  }
  if (next !== undefined) lines.push(`- next page: ${cleanCode(next)}`);
  if (get !== undefined && Array.isArray(result.data) && result.data.length > 0)
    lines.push(`- one by its id: ${cleanCode(get)}`);
  return lines;
}

/** What a preview leaves out of the entities it shows. */
function hiddenFields(expected: Expected, data: unknown, book: ShapeBook): string[] {
  if (expected.kind !== "entity" || book.find(expected.shape) === undefined) return [];
  const shown = new Set(shownFields(book, expected.shape));
  const { image } = book.displayOf(expected.shape);
  // In a list the whole text and the picture are not drawn either.
  if (Array.isArray(data)) for (const field of ["content", "image", image]) shown.delete(field ?? "");
  const names = (Array.isArray(data) ? data : [data]).flatMap((one) =>
    isRecord(one) ? Object.keys(one) : [],
  );
  return [...new Set(names)].filter((name) => !shown.has(name));
}
