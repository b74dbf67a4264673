import { isMap, isScalar, LineCounter, type ParsedNode, parseDocument } from "yaml";
import type { z } from "zod";
import { findFieldType, splitMany } from "./field-type.ts";
import type { Display, Shape, ShapeProblem } from "./shape.ts";
import { type ShapeFile, shapeFile } from "./shape-file.ts";
import { canonicalField } from "./standard-fields.ts";

/** The shapes of one file. A shape that is not right costs itself, a file that is not YAML its shapes. */
export function readShapeFile(file: string, text: string): { shapes: Shape[]; problems: ShapeProblem[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined) => (offset === undefined ? 1 : lines.linePos(offset).line);
  const [broken] = document.errors;
  if (broken !== undefined) return failed(file, lineAt(broken.pos[0]), broken.message);
  const root = document.contents;
  if (!isMap(root)) return failed(file, 1, "A file of shapes is a map of names to shapes");

  const shapes: Shape[] = [];
  const problems: ShapeProblem[] = [];
  for (const pair of root.items) {
    const name = isScalar(pair.key) ? String(pair.key.value) : "";
    const line = lineAt(pair.key.range?.[0]);
    let content: unknown;
    try {
      content = pair.value?.toJS(document, { maxAliasCount: 100 });
    } catch {
      problems.push({ file, line, shape: name, message: "Too many aliases" });
      continue;
    }
    const parsed = shapeFile.safeParse({ [name]: content ?? {} });
    const entry = parsed.success ? parsed.data[name] : undefined;
    if (entry !== undefined) shapes.push(toShape(name, entry, { file, line }));
    for (const issue of parsed.error?.issues ?? []) {
      const at = nodeAt(pair.value, issue);
      problems.push({
        file,
        line: at === undefined ? line : lineAt(at),
        shape: name,
        message: describe(issue),
      });
    }
  }
  return { shapes, problems };
}

function failed(file: string, line: number, message: string): { shapes: Shape[]; problems: ShapeProblem[] } {
  return { shapes: [], problems: [{ file, line, message }] };
}

/** Where in the text the deepest node of an issue's path begins. */
function nodeAt(value: ParsedNode | null, issue: z.core.$ZodIssue): number | undefined {
  const path = issue.path.slice(1);
  if (issue.code === "unrecognized_keys") path.push(issue.keys[0] ?? "");
  let node: unknown = value;
  let offset: number | undefined;
  for (const step of path) {
    if (!isMap(node)) break;
    const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
    if (pair === undefined) break;
    if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
    node = pair.value;
  }
  return offset;
}

const KEYS = "description, also, fields, relations, identity, identity_any and display";

function describe(issue: z.core.$ZodIssue): string {
  const where = issue.path.slice(1).join(".");
  if (issue.code === "unrecognized_keys") {
    const known = where === "display" ? "title, subtitle, description, image, date and columns" : KEYS;
    return `Unknown key ${[where, ...issue.keys.slice(0, 1)].filter(Boolean).join(".")}: there are ${known}`;
  }
  // The words for a bad key are inside the issue about the record it is in.
  const inner = issue.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return where === "" ? `Not a shape: ${inner}` : `${where} is not right: ${inner}`;
}

function toShape(name: string, entry: ShapeFile[string], at: { file: string; line: number }): Shape {
  const fields = Object.entries(entry.fields).flatMap(([field, text]) => {
    const type = findFieldType(text);
    return type === undefined ? [] : [[canonicalField(field), type] as const];
  });
  const relations = Object.entries(entry.relations).map(([label, text]) => {
    const { name: shape, many } = splitMany(text);
    return [label, { shape, many }] as const;
  });
  const any = (entry.identity_any ?? []).map((one) => (typeof one === "string" ? [one] : one));
  return {
    name,
    description: entry.description,
    also: entry.also,
    fields: new Map(fields),
    relations: new Map(relations),
    display: toDisplay(entry.display),
    identities: entry.identity === undefined ? any : [entry.identity, ...any],
    ...at,
  };
}

function toDisplay({ columns = [], ...fields }: ShapeFile[string]["display"]): Display {
  const roles = Object.entries(fields).map(([role, field]) => [role, canonicalField(field ?? "")] as const);
  return {
    ...Object.fromEntries(roles),
    columns: columns.flatMap((column) =>
      Object.entries(column).map(([field, heading]) => ({ field: canonicalField(field), heading })),
    ),
  };
}
