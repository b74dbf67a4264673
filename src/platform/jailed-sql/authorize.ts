import { constants as c } from "node:sqlite";

type Authorize = (
  action: number,
  first: string | null,
  second: string | null,
  database: string | null,
) => number;

const READING = new Set([c.SQLITE_SELECT, c.SQLITE_READ, c.SQLITE_RECURSIVE]);

const WRITING = new Set(
  [
    [
      c.SQLITE_INSERT,
      c.SQLITE_UPDATE,
      c.SQLITE_DELETE,
      c.SQLITE_ALTER_TABLE,
      c.SQLITE_REINDEX,
      c.SQLITE_ANALYZE,
    ],
    [c.SQLITE_CREATE_TABLE, c.SQLITE_CREATE_INDEX, c.SQLITE_CREATE_VIEW, c.SQLITE_CREATE_TRIGGER],
    [c.SQLITE_DROP_TABLE, c.SQLITE_DROP_INDEX, c.SQLITE_DROP_VIEW, c.SQLITE_DROP_TRIGGER],
  ].flat(),
);

/** Those that only tell; with an argument the others change the file, or how it is read. */
const TELLING = new Set(
  "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list function_list".split(
    " ",
  ),
);
const TELLING_BARE = new Set(
  "user_version application_id encoding page_count page_size data_version".split(" "),
);

const FUNCTIONS = new Set("load_extension fts3_tokenizer readfile writefile edit".split(" "));

/**
 * What a statement may do, asked by SQLite while it compiles. ATTACH reaches other files, and so does VACUUM INTO, which
 * is an ATTACH inside; PRAGMA can make a file's schema writable. `refused` is told what it was.
 */
export function authorize(write: boolean, refused: (what: string) => void): Authorize {
  const decide: Authorize = (action, first, second) => {
    if (READING.has(action)) return c.SQLITE_OK;
    if (write && WRITING.has(action)) return c.SQLITE_OK;
    if (action === c.SQLITE_FUNCTION) return FUNCTIONS.has(second ?? "") ? c.SQLITE_DENY : c.SQLITE_OK;
    if (action !== c.SQLITE_PRAGMA) return c.SQLITE_DENY;
    const name = (first ?? "").toLowerCase();
    return TELLING.has(name) || (TELLING_BARE.has(name) && second === null) ? c.SQLITE_OK : c.SQLITE_DENY;
  };
  return (action, first, second, database) => {
    const decision = decide(action, first, second, database);
    if (decision !== c.SQLITE_OK) refused(nameOf(action, first, second));
    return decision;
  };
}

function nameOf(action: number, first: string | null, second: string | null): string {
  if (action === c.SQLITE_PRAGMA) return `PRAGMA ${first}`;
  if (action === c.SQLITE_FUNCTION) return `${second}()`;
  const [name = "that"] = Object.entries(c)
    .filter(([key, value]) => value === action && !key.startsWith("SQLITE_CHANGESET"))
    .map(([key]) => key.slice("SQLITE_".length).replaceAll("_", " "));
  return name;
}
