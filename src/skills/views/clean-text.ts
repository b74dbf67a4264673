/**
 * What a result contains was written by strangers and is read by models and terminals: no character may move the
 * cursor, hide itself, reverse the text or begin a new line. Joiners and U+FE0F stay: emoji and some scripts need them.
 */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replace(INVISIBLE, "")
    .trim();
}

/** One line, nothing in it that markdown would draw: no link, picture or tag of HTML; and no id but the real one. */
export function cleanLine(text: string): string {
  return oneLine(text)
    .replace(/\bid(?= ?:)/gi, "$&\\")
    .replace(/<(?=[a-z/!?])/gi, "\\<")
    .replace(/!\[/g, "!\\[")
    .replace(/\](?=[([:])/g, "\\]");
}

/** A clean line that stands where a block could begin. */
export function escapeStart(line: string): string {
  return line
    .replace(/^(?=#{1,6}(?: |$)|[-+*] |>|[`~]{3}|[-_*=]{3}|\[|\|)/, "\\")
    .replace(/^(\d+)(?=[.)] )/, "$1\\");
}

/** Something to copy as it is, on one line. */
export function cleanCode(text: string): string {
  const inside = oneLine(text);
  const fence = "`".repeat(longestRun(inside) + 1);
  const space = inside.startsWith("`") || inside.endsWith("`") ? " " : "";
  return `${fence}${space}${inside}${space}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

/** Text of several lines between fences that nothing in it can close. */
export function fenced(text: string): string {
  const inside = text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\p{Zl}\p{Zp}]/gu, "\n")
    .replace(/(?![\n\t])\p{Cc}/gu, "")
    .replace(INVISIBLE, "")
    .trimEnd();
  const fence = "`".repeat(Math.max(3, longestRun(inside) + 1));
  return `${fence}text\n${inside}\n${fence}`;
}

/** An id or address: as it is where that is safe, so that it can be copied, else as a JSON string. */
export function cleanToken(text: string): string {
  if (/^[\p{L}\p{N}_.~:@/+=%&?#;!$'*^-]+$/u.test(text)) return text;
  return JSON.stringify(text).replace(/[^\x20-\x7e]|[<>[\]`]/g, (one) => {
    return `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** The beginning of a text, and how much of it is missing. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
  return `${head.trimEnd()}… (+${text.length - head.length} characters)`;
}
