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
  const schema = z.toJSONSchema(manifestForm, { io: "input", reused: "ref" });
  return { title: "A Deputy skill (skill.yaml)", ...schema };
}

/** The keys a manifest may have at a place. */
export type KnownKeys = (path: Path) => readonly string[];

/** The schema is made when it is first asked for: most manifests have no unknown key. */
export function createKnownKeys(): KnownKeys {
  let schema: Schema | undefined;
  const found = new Map<string, readonly string[]>();
  return (path) => {
    const key = path.join("\0");
    const before = found.get(key);
    if (before !== undefined) return before;
    schema ??= manifestJsonSchema() as Schema;
    const keys = keysAt(schema, path);
    found.set(key, keys);
    return keys;
  };
}

function keysAt(root: Schema, path: Path): readonly string[] {
  const resolve = (schema: Schema, seen: readonly Schema[] = []): Schema[] => {
    if (seen.includes(schema)) return [];
    const target = root.$defs?.[schema.$ref?.replace("#/$defs/", "") ?? ""];
    const inside = [
      ...(schema.anyOf ?? []),
      ...(schema.oneOf ?? []),
      ...(schema.allOf ?? []),
      ...(target ? [target] : []),
    ];
    return [schema, ...inside.flatMap((one) => resolve(one, [...seen, schema]))];
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
