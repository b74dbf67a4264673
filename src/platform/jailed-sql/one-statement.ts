/** Text, quoted names and comments, in which a semicolon ends nothing. https://www.sqlite.org/lang_comment.html */
const OPAQUE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** SQLite compiles the first of several statements and says nothing of the others. */
export function isOneStatement(sql: string): boolean {
  const bare = sql.replace(OPAQUE, (part) => (/^(--|\/\*)/.test(part) ? " " : "x"));
  return /^[^;]*[^;\s][^;]*[;\s]*$/.test(bare);
}
