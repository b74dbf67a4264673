const MOST_TERMS = 24;
const LONGEST_TERM = 100;

/**
 * What somebody typed as a query of FTS5: words, "whole phrases" and beginnings*. Every term is quoted, so that nothing
 * typed is ever taken for the query language. Null where there is no word in it.
 */
export function textQuery(typed: string, join: "all" | "any"): string | null {
  const clean = typed.toWellFormed().replace(/\p{Cc}/gu, " ");
  const terms = [...clean.matchAll(/"([^"]*)"?|([^\s"]+)/g)].flatMap(([, phrase, word]) => {
    const text = (phrase ?? word ?? "").slice(0, LONGEST_TERM);
    if (!/[\p{L}\p{N}]/u.test(text)) return [];
    const isPrefix = word !== undefined && text.endsWith("*");
    return [isPrefix ? `"${text.slice(0, -1)}"*` : `"${text}"`];
  });
  if (terms.length === 0) return null;
  return terms.slice(0, MOST_TERMS).join(join === "all" ? " " : " OR ");
}
