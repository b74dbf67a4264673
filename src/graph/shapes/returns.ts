import { z } from "zod";
import { type FieldType, findFieldType, splitMany } from "./field-type.ts";

/** What an operation says it returns: `email`, `email[]`, a type, `void`, or keys with any of these. */
export type Returns = string | { readonly [key: string]: Returns };

export const returnsSchema: z.ZodType<Returns> = z.union([
  z.string().regex(/^[a-z][a-z0-9_]*(\[\])?$/, "a shape such as email, or with [] a list of them"),
  z.record(
    z.string().max(64),
    z.lazy(() => returnsSchema),
  ),
]);

export type Expected =
  | { readonly kind: "anything" }
  | { readonly kind: "entity"; readonly shape: string; readonly many: boolean }
  | { readonly kind: "value"; readonly type: FieldType }
  | { readonly kind: "keys"; readonly keys: ReadonlyMap<string, Expected> };

export function parseReturns(returns: Returns | undefined): Expected {
  if (returns === undefined || returns === "void") return { kind: "anything" };
  if (typeof returns !== "string") {
    const keys = Object.entries(returns).map(([key, inner]) => [key, parseReturns(inner)] as const);
    return { kind: "keys", keys: new Map(keys) };
  }
  const type = findFieldType(returns);
  if (type !== undefined) return { kind: "value", type };
  const { name: shape, many } = splitMany(returns);
  return { kind: "entity", shape, many };
}
