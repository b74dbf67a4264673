import { type FieldType, showType } from "./field-type.ts";
import { type Expected, parseReturns, type Returns } from "./returns.ts";
import type { ShapeLookup } from "./shape-lookup.ts";

/** The part of JSON Schema that shapes can say. */
export interface ResultSchema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, ResultSchema>>;
  readonly items?: ResultSchema;
}

/**
 * What an operation returns, as a JSON Schema; undefined where it does not say. Nothing is required, since absent is not false,
 * and more may be there than a shape knows. References are of no type: they can be a record, its name, or a list of either.
 */
export function resultSchema(
  lookup: ShapeLookup,
  returns: Returns | string | undefined,
): ResultSchema | undefined {
  const schema = schemaOf(lookup, parseReturns(returns));
  return Object.keys(schema).length === 0 ? undefined : schema;
}

function schemaOf(lookup: ShapeLookup, expected: Expected): ResultSchema {
  switch (expected.kind) {
    case "anything":
      return {};
    case "value":
      return fieldSchema(expected.type);
    case "keys": {
      const properties = [...expected.keys].map(([key, inner]) => [key, schemaOf(lookup, inner)] as const);
      return listed({ type: "object", properties: Object.fromEntries(properties) }, expected.many);
    }
    case "entity":
      return lookup.find(expected.shape) === undefined
        ? {}
        : listed(entitySchema(lookup, expected.shape), expected.many);
  }
}

function entitySchema(lookup: ShapeLookup, shape: string): ResultSchema {
  const description = lookup.find(shape)?.description;
  const fields = [...lookup.fieldsOf(shape)].map(([name, type]) => [name, fieldSchema(type)] as const);
  const relations = [...lookup.relationsOf(shape)].map(
    ([name, type]) => [name, { description: `refers to ${showType(type)}` }] as const,
  );
  const properties = Object.fromEntries([...fields, ...relations]);
  return { type: "object", title: shape, ...(description === undefined ? {} : { description }), properties };
}

function fieldSchema({ kind, many }: FieldType): ResultSchema {
  switch (kind) {
    case "json":
      return many ? { type: "array" } : {};
    case "datetime":
      return listed({ type: "string", description: "ISO 8601, as exact as it is known" }, many);
    case "url":
      return listed({ type: "string", description: "an address" }, many);
    case "string":
    case "text":
      return listed({ type: "string" }, many);
    case "integer":
    case "number":
    case "boolean":
      return listed({ type: kind }, many);
  }
}

function listed(schema: ResultSchema, many: boolean): ResultSchema {
  return many ? { type: "array", items: schema } : schema;
}
