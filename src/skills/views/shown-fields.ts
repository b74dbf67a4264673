import { type ShapeBook, standardFields } from "../../graph/index.ts";

/** What stands for a record of a shape where there is little room: the standard fields, the display, the identity. */
export function shownFields(book: ShapeBook, shape: string): ReadonlySet<string> {
  const { columns, ...roles } = book.displayOf(shape);
  return new Set([
    ...standardFields.keys(),
    ...Object.values(roles),
    ...columns.map((column) => column.field),
    ...book.identitiesOf(shape).flat(),
  ]);
}

/** What tells a record from others and what it is called: all that is shown of one that is referred to. */
export function namingFields(book: ShapeBook, shape: string): ReadonlySet<string> {
  const { title = "name" } = book.displayOf(shape);
  return new Set(["id", "name", title, ...book.identitiesOf(shape).flat()]);
}
