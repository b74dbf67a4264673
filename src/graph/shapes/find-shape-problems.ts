import { anyShape } from "./field-type.ts";
import type { Shape, ShapeProblem } from "./shape.ts";
import type { ShapeLookup } from "./shape-lookup.ts";
import { standardFields } from "./standard-fields.ts";

/** What only shows when all shapes are known: names that lead nowhere. The shapes work without them. */
export function findShapeProblems(lookup: ShapeLookup, shape: Shape): ShapeProblem[] {
  const messages: string[] = [];
  const fields = lookup.fieldsOf(shape.name);
  const relations = lookup.relationsOf(shape.name);

  for (const other of shape.also) {
    if (lookup.find(other) === undefined) messages.push(`also names ${other}, and there is no such shape`);
    else if (other === shape.name || lookup.implied(other).includes(shape.name))
      messages.push(`also leads from ${shape.name} back to it by ${other}`);
  }
  for (const [label, type] of shape.relations) {
    if (type.shape !== anyShape && lookup.find(type.shape) === undefined)
      messages.push(`relations.${label} leads to ${type.shape}, and there is no such shape`);
    if (standardFields.has(label)) messages.push(`relations.${label}: ${label} is a standard field`);
  }
  for (const [field, type] of shape.fields) {
    const standard = standardFields.get(field);
    if (standard !== undefined && (standard.kind !== type.kind || type.many))
      messages.push(`fields.${field} is a standard field of type ${standard.kind}`);
  }
  for (const field of new Set(shape.identities.flat())) {
    const type = fields.get(field);
    if (type === undefined || type.many || type.kind === "json")
      messages.push(`identity names ${field}, which is not a field with one plain value`);
  }
  const { columns, ...roles } = shape.display;
  for (const field of new Set([...Object.values(roles), ...columns.map((column) => column.field)])) {
    if (!fields.has(field) && !relations.has(field))
      messages.push(`display names ${field}, which is neither field nor relation`);
  }
  return messages.map((message) => ({ file: shape.file, line: shape.line, shape: shape.name, message }));
}
