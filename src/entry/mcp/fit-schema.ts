import type { ResultSchema } from "../../engine/index.ts";

interface Fitted {
  /** Undefined where it does not fit at all. */
  readonly value: unknown;
  /** What was left out, by its place. */
  readonly left: readonly string[];
}

/**
 * As much of a value as fits what a tool promised. Deputy keeps what a service returned even where it is not what the skill said,
 * and says so; but clients check structured content against the tool's schema and throw the whole answer away.
 */
export function fitSchema(value: unknown, schema: ResultSchema, at = ""): Fitted {
  const { type } = schema;
  if (type === undefined) return { value, left: [] };
  switch (type) {
    case "array": {
      if (!Array.isArray(value)) return unfit(at);
      const { items } = schema;
      const fitted = value.map((one) => fitSchema(one, items ?? {}, `${at}[]`));
      return {
        value: fitted.flatMap((one) => (one.value === undefined ? [] : [one.value])),
        left: leftIn(fitted),
      };
    }
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return unfit(at);
      const fitted = Object.entries(value).map(([key, inner]) => {
        const known = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined;
        return [key, fitSchema(inner, known ?? {}, at === "" ? key : `${at}.${key}`)] as const;
      });
      const kept = fitted.filter(([, one]) => one.value !== undefined);
      return {
        value: Object.fromEntries(kept.map(([key, one]) => [key, one.value])),
        left: leftIn(fitted.map(([, one]) => one)),
      };
    }
    case "integer":
      return Number.isSafeInteger(value) ? { value, left: [] } : unfit(at);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type ? { value, left: [] } : unfit(at);
  }
}

function unfit(at: string): Fitted {
  return { value: undefined, left: [at === "" ? "the result" : at] };
}

/** Of many records with the same fault one is told. */
function leftIn(all: readonly Fitted[]): string[] {
  return [...new Set(all.flatMap(({ left }) => left))];
}
