import type { FieldType, RelationType } from "./field-type.ts";
import type { Display, Shape } from "./shape.ts";
import { standardFields } from "./standard-fields.ts";

/** What is known of shapes, with everything a shape has from those it is also. */
export interface ShapeLookup {
  names(): readonly string[];
  find(name: string): Shape | undefined;
  /** Every other shape a record of this one is too, nearest first. */
  implied(name: string): readonly string[];
  /** With the standard fields, which every record has. */
  fieldsOf(name: string): ReadonlyMap<string, FieldType>;
  relationsOf(name: string): ReadonlyMap<string, RelationType>;
  displayOf(name: string): Display;
  /** Sets of fields, each of which makes two records one entity. `[id]` alone holds within one source only. */
  identitiesOf(name: string): readonly (readonly string[])[];
}

export function createShapeLookup(shapes: readonly Shape[]): ShapeLookup {
  const known = new Map(shapes.map((shape) => [shape.name, shape]));
  const lineage = (name: string): Shape[] => [name, ...implied(name)].flatMap((one) => known.get(one) ?? []);

  const implied = remember((name: string): readonly string[] => {
    const seen = new Set([name]);
    // A set keeps growing while it is walked: nearest first, and a circle ends.
    for (const one of seen)
      for (const next of known.get(one)?.also ?? []) if (known.has(next)) seen.add(next);
    return [...seen].slice(1);
  });
  const fieldsOf = remember((name: string) => {
    const own = lineage(name)
      .reverse()
      .flatMap((shape) => [...shape.fields]);
    return new Map([...standardFields, ...own]);
  });
  const relationsOf = remember((name: string) => {
    return new Map(
      lineage(name)
        .reverse()
        .flatMap((shape) => [...shape.relations]),
    );
  });
  const displayOf = remember((name: string): Display => {
    const displays = lineage(name).map((shape) => shape.display);
    const columns = displays.find((display) => display.columns.length > 0)?.columns ?? [];
    return Object.assign({ title: "name" }, ...displays.reverse(), { columns }) as Display;
  });
  const identitiesOf = remember((name: string): readonly (readonly string[])[] => {
    return lineage(name).find((shape) => shape.identities.length > 0)?.identities ?? [["id"]];
  });
  return {
    names: () => [...known.keys()].sort(),
    find: (name) => known.get(name),
    implied,
    fieldsOf,
    relationsOf,
    displayOf,
    identitiesOf,
  };
}

/** Names come from skills and agents too: only as many answers are kept as there can be shapes. */
function remember<T>(answer: (name: string) => T): (name: string) => T {
  const answers = new Map<string, T>();
  return (name) => {
    const before = answers.get(name);
    if (before !== undefined) return before;
    const now = answer(name);
    if (answers.size < 10_000) answers.set(name, now);
    return now;
  };
}
