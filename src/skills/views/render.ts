import type { ShapeBook } from "../../graph/index.ts";
import { toEnvelope, toJsonText } from "./envelope.ts";
import { toMarkdown } from "./markdown.ts";
import type { View, Viewed } from "./view.ts";

/** A result as it is given to whoever asked. It never fails: there is no JSON that cannot be shown. */
export function render(result: Viewed, view: View, book: ShapeBook): string {
  return view.format === "json"
    ? toJsonText(toEnvelope(result, view.detail, book))
    : toMarkdown(result, view.detail, book);
}
