/**
 * What Deputy knows of the things services return: shapes, read from YAML, and what they make of a result: values of
 * the right type, references, entities. And what it remembers of them: a graph in a file and a thread of its own, every
 * value with where it came from, every change kept. It never refuses a result: what does not fit is a warning beside it.
 * It holds no secrets, talks to no network and knows nothing of how skills run.
 */
export { createGraph } from "./create-graph.ts";
export type * from "./graph.ts";
export { type Coerced, coerce } from "./shapes/coerce.ts";
export type { Entity } from "./shapes/entities-of.ts";
export { findFieldType } from "./shapes/field-type.ts";
export { identitiesIn, isNamed } from "./shapes/identities-in.ts";
export type { JsonRecord } from "./shapes/json-record.ts";
export { bundledShapes, loadShapes } from "./shapes/load-shapes.ts";
export { mapReferences } from "./shapes/map-references.ts";
export type { ResultWarning, ResultWarningCode } from "./shapes/result-warning.ts";
export { type ResultSchema, resultSchema } from "./shapes/result-schema.ts";
export { type Expected, parseReturns, type Returns } from "./shapes/returns.ts";
export type { ShapeBook } from "./shapes/shape-book.ts";
export { shapeJsonSchema } from "./shapes/shape-file.ts";
export { standardFields } from "./shapes/standard-fields.ts";
