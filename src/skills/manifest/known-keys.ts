import { z } from "zod";
import { manifestForm } from "./manifest-form.ts";
import type { Path } from "./yaml-source.ts";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** What editors check a skill.yaml with: as it is written, before defaults. */
export function manifestJsonSchema(): object {
  return { $id: "https://deputize.dev/skill.schema.json", ...z.toJSONSchema(manifestForm, { io: "input" }) };
}

/** The keys a manifest may have at a place. */
export function knownKeys(path: Path): readonly string[] {
  const root = z.toJSONSchema(manifestForm, { io: "input" }) as Schema;
  const resolve = (schema: Schema): Schema[] => {
    const name = schema.$ref?.replace("#/$defs/", "");
    const target = name === undefined ? undefined : root.$defs?.[name];
    const inside = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
    return [schema, ...(target === undefined ? [] : [target]), ...inside.flatMap(resolve)];
  };
  const step = (schema: Schema, key: string | number): Schema[] => {
    if (typeof key === "number") return typeof schema.items === "object" ? resolve(schema.items) : [];
    const own = schema.properties?.[key];
    if (own !== undefined) return resolve(own);
    return typeof schema.additionalProperties === "object" ? resolve(schema.additionalProperties) : [];
  };
  let found = resolve(root);
  for (const key of path) found = found.flatMap((schema) => step(schema, key));
  return [...new Set(found.flatMap((schema) => Object.keys(schema.properties ?? {})))];
}
