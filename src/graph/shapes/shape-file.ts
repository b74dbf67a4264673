import { z } from "zod";
import { anyShape, fieldKinds, findFieldType } from "./field-type.ts";

const LONGEST_NAME = 64;

const name = z
  .string()
  .max(LONGEST_NAME)
  .regex(/^[a-z][a-z0-9_]*$/, "a name is lower-case letters, digits and _, beginning with a letter");

/** A word of `returns` must mean one thing. */
const shapeName = name.refine(
  (one) => one !== "void" && one !== anyShape && findFieldType(one) === undefined,
  {
    error: "this name is taken by a type",
  },
);

/** Fields may keep the spelling of the service they come from. */
const fieldName = z
  .string()
  .max(LONGEST_NAME)
  .regex(/^[A-Za-z][A-Za-z0-9_]*$/, "a field's name is letters, digits and _, beginning with a letter");

const fieldType = z
  .string()
  .regex(
    new RegExp(`^(${fieldKinds.join("|")})(\\[\\])?$`),
    `a type is ${fieldKinds.join(", ")}, or one of them with []`,
  );

const relationType = z
  .string()
  .max(LONGEST_NAME + 2)
  .regex(/^[a-z][a-z0-9_]*(\[\])?$/, "a relation leads to a shape, or with [] to several");

const identity = z.array(fieldName).min(1).max(8);

const shape = z.strictObject({
  description: z.string().max(500).optional().describe("What kind of thing it is, in a sentence"),
  also: z
    .array(shapeName)
    .default([])
    .describe("Shapes a record of this one is too: an email is also a message"),
  fields: z.record(fieldName, fieldType).default({}).describe("Field names to types"),
  relations: z
    .record(fieldName, relationType)
    .default({})
    .describe("Labels of links to the shape they lead to, with [] for several; any for whatever it is"),
  identity: identity.optional().describe("Fields that together make two records one entity"),
  identity_any: z
    .array(z.union([fieldName, identity]))
    .min(1)
    .optional()
    .describe("Fields, or lists of fields, each of which alone makes two records one entity"),
  display: z
    .strictObject({
      title: fieldName.optional(),
      subtitle: fieldName.optional(),
      description: fieldName.optional(),
      image: fieldName.optional(),
      date: fieldName.optional(),
      columns: z
        .array(z.record(fieldName, z.string().max(LONGEST_NAME)))
        .optional()
        .describe("Fields of a table or a line, in order, each with its heading"),
    })
    .prefault({})
    .describe("Which fields stand for a record where there is little room"),
});

/** A file of shapes: names to shapes. The bundled ones hold one each. */
export const shapeFile = z.record(shapeName, shape);

export type ShapeFile = z.infer<typeof shapeFile>;

/** For editors: docs/formats/shape.schema.json is this. */
export function shapeJsonSchema(): Record<string, unknown> {
  return { title: "Deputy shapes", ...z.toJSONSchema(shapeFile, { io: "input" }) };
}
