import { parseReturns, type ShapeBook } from "../../graph/index.ts";
import { shorten, toPreview } from "./preview.ts";
import type { View, Viewed } from "./view.ts";

export interface Envelope {
  readonly data: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** A result as programs want it. */
export function toEnvelope(result: Viewed, detail: View["detail"], book: ShapeBook): Envelope {
  const { data = null, meta = {} } = result;
  const shown =
    detail === "preview" ? toPreview(book, parseReturns(result.returns), data) : shorten(data, Infinity, 0);
  return { data: shown, meta };
}

/** JSON that is safe on a terminal: what it would obey or hide is written as an escape. */
export function toJsonText(envelope: Envelope): string {
  return JSON.stringify(envelope, null, 2).replace(
    /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu,
    (one) => {
      return [...Array(one.length).keys()]
        .map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`)
        .join("");
    },
  );
}
