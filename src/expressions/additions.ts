import type { Token } from "./tokens.ts";

const isTrimmed = (test: string): string => `type == "string" and ($x | type) == "string" and ${test}($x)`;

/**
 * Functions that other versions of jq have, and those that are strict in this one only: elsewhere ltrimstr and rtrimstr
 * leave alone what is not a string, and skills trim fields that may be null.
 */
const ADDITIONS: Record<string, string> = {
  toarray: `def toarray: if type == "array" then . else [.] end;`,
  leaf_paths: "def leaf_paths: paths(scalars);",
  date: "def date: todate;",
  ltrimstr: `def ltrimstr($x): if ${isTrimmed("startswith")} then .[($x | length):] else . end;`,
  rtrimstr: `def rtrimstr($x): if ${isTrimmed("endswith")} then .[:length - ($x | length)] else . end;`,
};

/** The definitions an expression needs in front of it. */
export function additionsFor(tokens: readonly Token[]): string {
  const names = new Set(tokens.filter(({ kind }) => kind === "name").map(({ value }) => value));
  return Object.entries(ADDITIONS)
    .filter(([name]) => names.has(name))
    .map(([, definition]) => `${definition} `)
    .join("");
}
