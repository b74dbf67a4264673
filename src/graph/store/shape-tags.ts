import { DeputyError } from "../../kernel/index.ts";
import type { ShapeLookup } from "../shapes/shape-lookup.ts";
import type { Store } from "./store.ts";

/** Every shape an entity is: its own first, then what that implies, then what it was also seen as. */
export function lineageOf(book: ShapeLookup, shape: string, extra: string | null): string[] {
  const others = extra === null ? [] : (JSON.parse(extra) as string[]);
  return [...new Set([shape, ...others].flatMap((one) => [one, ...book.implied(one)]))];
}

export function putTags(store: Store, entity: number, shapes: readonly string[]): void {
  for (const shape of shapes)
    store.db.run("INSERT OR IGNORE INTO tags (shape, entity) VALUES (?, ?)", store.words.key(shape), entity);
}

/** What is both: the narrower shape stands for it, and unrelated ones are remembered beside it. */
export function joinShapes(
  book: ShapeLookup,
  was: { readonly shape: string; readonly extra: string | null },
  seen: string,
): { readonly shape: string; readonly extra: string | null } {
  const lineage = lineageOf(book, was.shape, was.extra);
  if (lineage.includes(seen)) return was;
  if (book.implied(seen).includes(was.shape)) return { shape: seen, extra: was.extra };
  const others = was.extra === null ? [] : (JSON.parse(was.extra) as string[]);
  return { shape: was.shape, extra: JSON.stringify([...others, seen]) };
}

/** The key of a shape's name, undefined while nothing is of it. A shape that nobody knows is a slip. */
export function findShape(store: Store, shape: string): number | undefined {
  const key = store.words.find(shape);
  if (key !== undefined || store.book.find(shape) !== undefined) return key;
  throw new DeputyError("NOT_FOUND", `There is no shape ${shape.slice(0, 80)}`, {
    hint: "See what there is: deputy graph list shape",
  });
}
