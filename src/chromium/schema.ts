import type { ForeignRow, SqlValue } from "../platform/index.ts";

/**
 * What Deputy wants of a row, the names columns had over the years
 * (net/extras/sqlite/sqlite_persistent_cookie_store.cc, "CREATE TABLE cookies"), and what holds where a store has
 * none of them.
 */
const WANTED = [
  { field: "hostKey", columns: ["host_key"] },
  { field: "name", columns: ["name"] },
  { field: "value", columns: ["value"], otherwise: "''" },
  { field: "sealed", columns: ["encrypted_value"], otherwise: "x''" },
  { field: "path", columns: ["path"] },
  { field: "created", columns: ["creation_utc"] },
  { field: "updated", columns: ["last_update_utc"], otherwise: "0" },
  { field: "expires", columns: ["expires_utc"] },
  { field: "hasExpires", columns: ["has_expires"], otherwise: "1" },
  { field: "persistent", columns: ["is_persistent", "persistent"], otherwise: "1" },
  { field: "secure", columns: ["is_secure", "secure"], otherwise: "0" },
  { field: "httpOnly", columns: ["is_httponly", "httponly"], otherwise: "0" },
  { field: "sameSite", columns: ["samesite"], otherwise: "-1" },
  { field: "priority", columns: ["priority"], otherwise: "1" },
  { field: "sourceScheme", columns: ["source_scheme"], otherwise: "0" },
  { field: "sourcePort", columns: ["source_port"], otherwise: "-1" },
  { field: "topFrameSite", columns: ["top_frame_site_key"], otherwise: "''" },
  { field: "crossSiteAncestor", columns: ["has_cross_site_ancestor"], otherwise: "NULL" },
] as const;

export type Field = (typeof WANTED)[number]["field"];

/** A value of this size is no cookie any browser would have taken; reading it would only cost memory. */
const LONGEST_VALUE = 65_536;

/** A row of `selectList`, by field. */
export function byField(row: ForeignRow): Record<Field, SqlValue> {
  const fields: Partial<Record<Field, SqlValue>> = {};
  for (const [i, { field }] of WANTED.entries()) fields[field] = row[i] ?? null;
  return fields as Record<Field, SqlValue>;
}

/** The SELECT list for a store with these columns, or undefined where it is no cookie store. */
export function selectList(columns: readonly string[]): string | undefined {
  const expressions: string[] = [];
  for (const wanted of WANTED) {
    const column = wanted.columns.find((name) => columns.includes(name));
    if (column === undefined && !("otherwise" in wanted)) return undefined;
    if (column === undefined) expressions.push("otherwise" in wanted ? wanted.otherwise : "NULL");
    else if (wanted.field === "value" || wanted.field === "sealed")
      expressions.push(`iif(length(${column}) <= ${LONGEST_VALUE}, ${column}, NULL)`);
    else expressions.push(column);
  }
  return expressions.join(", ");
}
