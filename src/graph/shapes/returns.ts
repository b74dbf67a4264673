import { type FieldType, findFieldType, splitMany } from "./field-type.ts";

/** What an operation says it returns, read from its manifest. */
export type Returns =
  | { readonly kind: "shape"; readonly shape: string; readonly many: boolean }
  | { readonly kind: "fields"; readonly fields: Readonly<Record<string, unknown>>; readonly many: boolean }
  | { readonly kind: "value"; readonly type: string }
  | { readonly kind: "nothing" }
  | { readonly kind: "unknown" };

/** The same with everything inside it read. */
export type Expected =
  | { readonly kind: "anything" }
  | { readonly kind: "entity"; readonly shape: string; readonly many: boolean }
  | { readonly kind: "value"; readonly type: FieldType }
  | { readonly kind: "keys"; readonly keys: ReadonlyMap<string, Expected>; readonly many: boolean };

/** `email`, `email[]` and other words may stand for themselves. */
export function parseReturns(returns: Returns | string | undefined): Expected {
  if (typeof returns === "string") return fromForm(returns, 0);
  switch (returns?.kind) {
    case undefined:
    case "nothing":
    case "unknown":
      return { kind: "anything" };
    case "shape":
      return { kind: "entity", shape: returns.shape, many: returns.many };
    case "value":
      return fromForm(returns.type, 0);
    case "fields":
      return fromForm(returns.many ? [returns.fields] : returns.fields, 0);
  }
}

const DEEPEST = 16;

/** As a manifest writes it: a word, keys to forms, or a list of one form. */
function fromForm(form: unknown, depth: number): Expected {
  if (typeof form === "string") return fromWord(form);
  const many = Array.isArray(form);
  const inner: unknown = many ? form[0] : form;
  if (typeof inner !== "object" || inner === null || depth > DEEPEST) return { kind: "anything" };
  const keys = Object.entries(inner).map(([key, value]) => [key, fromForm(value, depth + 1)] as const);
  return { kind: "keys", keys: new Map(keys), many };
}

function fromWord(word: string): Expected {
  if (word === "array") return { kind: "value", type: { kind: "json", many: true } };
  const type = findFieldType(word === "date" ? "datetime" : word);
  if (type !== undefined) return { kind: "value", type };
  const isName = /^[a-z][a-z0-9_]*(\[\])?$/.test(word);
  if (!isName || word === "void" || word === "none" || word === "object") return { kind: "anything" };
  const { name: shape, many } = splitMany(word);
  return { kind: "entity", shape, many };
}
