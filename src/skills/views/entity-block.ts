import { type JsonRecord, mapReferences, type ShapeBook } from "../../graph/index.ts";
import { cleanLine, cleanToken, cut, escapeStart } from "./clean-text.ts";
import { entityLine, labelOf, showValue, text } from "./entity-line.ts";
import { block, plainLines } from "./plain-lines.ts";

const LONGEST_INLINE = 200;
const MOST_REFERENCES = 50;

/** One entity with everything it has: a line for its name, `key: value` lines, then long texts. */
export function entityBlock(book: ShapeBook, shape: string, record: JsonRecord, longest: number): string[] {
  const id = text(record["id"]);
  const label = labelOf(book, shape, record);
  const lines = [`${escapeStart(label)} (${shape}${id === "" ? "" : `, id: ${cleanToken(id)}`})`];
  const blocks: string[] = [];
  for (const field of inOrder(book, shape, record)) {
    const value = record[field];
    if (field === "id" || value === null || value === undefined) continue;
    if (typeof value === "string" && cleanLine(value) === label) continue;
    const name = escapeStart(cleanLine(cut(field, 80)));
    const targets = targetsOf(book, shape, field, value);
    if (targets !== undefined) {
      lines.push(...targets.slice(0, MOST_REFERENCES).map((target) => `${name}: ${target}`));
      const rest = targets.length - MOST_REFERENCES;
      if (rest > 0) lines.push(`${name}: (${rest} more, format json has them)`);
    } else if (typeof value === "string" && (value.length > LONGEST_INLINE || /\n.*\S/.test(value))) {
      blocks.push(`${name}:`, block(value, longest));
    } else if (typeof value === "object") {
      lines.push(...plainLines({ [field]: value }, { text: longest, lines: 50 }));
    } else {
      const shown = showValue(book, shape, record, field);
      if (shown !== "") lines.push(`${name}: ${shown}`);
    }
  }
  return [...lines, ...blocks];
}

/** Standard fields, then the shape's own, then relations, then the rest. */
function inOrder(book: ShapeBook, shape: string, record: JsonRecord): string[] {
  const known = new Set([...book.fieldsOf(shape).keys(), ...book.relationsOf(shape).keys()]);
  const own = Object.keys(record);
  return [...[...known].filter((key) => Object.hasOwn(record, key)), ...own.filter((key) => !known.has(key))];
}

function targetsOf(book: ShapeBook, shape: string, field: string, value: unknown): string[] | undefined {
  if (book.fieldsOf(shape).get(field)?.kind === "json") return undefined;
  const targets: string[] = [];
  const found = mapReferences(book, book.relationsOf(shape).get(field), value, (to, inner) => {
    targets.push(entityLine(book, to, inner));
    return undefined;
  });
  return found && targets;
}
