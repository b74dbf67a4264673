import type { Store } from "./store.ts";

/** By the shape that stands for each: an email is not counted as a message too. */
export function counts(store: Store): Record<string, number> {
  const rows = store.db.all(
    `SELECT w.word, count(*) AS n FROM entities e JOIN words w ON w.key = e.shape
      WHERE e.deleted IS NULL AND e.merged_into IS NULL GROUP BY e.shape ORDER BY n DESC, w.word`,
  );
  return Object.fromEntries(rows.map((row) => [String(row["word"]), Number(row["n"])]));
}
