import { DeputyError } from "../../../kernel/index.ts";

/** A line outside of strings and arrays that go over several lines. */
interface Line {
  readonly text: string;
  readonly top: boolean;
}

/** Sets the table `[section.name]`, and touches nothing else. Tables inside it go with it. */
export function setTable(
  text: string,
  section: string,
  name: string,
  values: Readonly<Record<string, string>>,
): string {
  const line = text.includes("\r\n") ? "\r\n" : "\n";
  const rest = removeTable(text, section, name).trimEnd();
  const table = [
    `[${section}.${name}]`,
    ...Object.entries(values).map(([key, value]) => `${key} = ${value}`),
  ];
  return `${rest}${rest === "" ? "" : line.repeat(2)}${table.join(line)}${line}`;
}

export function removeTable(text: string, section: string, name: string): string {
  const line = text.includes("\r\n") ? "\r\n" : "\n";
  const kept: string[] = [];
  let inside = false;
  let table = "";
  let comments: string[] = [];
  for (const { text: one, top } of linesOf(text)) {
    const header = top ? headerOf(one) : undefined;
    if (header !== undefined) {
      table = header;
      inside = header === `${section}.${name}` || header.startsWith(`${section}.${name}.`);
      // What stands right before a table is about it.
      if (!inside) kept.push(...comments);
      comments = [];
    }
    if (!inside) {
      if (top && header === undefined) refuseInline(one, table, section, name);
      kept.push(one);
    } else if (/^\s*#/.test(one)) comments.push(one);
    else if (one.trim() !== "") comments = [];
  }
  const joined = kept.join(line);
  return joined === text.replaceAll(/\r?\n/g, line)
    ? text
    : `${joined.trimEnd()}${joined.trim() === "" ? "" : line}`;
}

export function quoteToml(text: string): string {
  return JSON.stringify(text).replace(/\x7f/g, "\\u007f");
}

function headerOf(line: string): string | undefined {
  const inner = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line)?.[1];
  return inner
    ?.split(".")
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/, "$2"))
    .join(".");
}

/** The other ways TOML has to say the same. They are somebody's hand: not ours to rewrite. */
function refuseInline(line: string, table: string, section: string, name: string): void {
  const key = /^\s*([\w."'\s-]+?)\s*=/.exec(line)?.[1]?.replace(/["'\s]/g, "");
  if (key === undefined) return;
  const full = table === "" ? key : `${table}.${key}`;
  if (full !== section && full !== `${section}.${name}` && !full.startsWith(`${section}.${name}.`)) return;
  if (full === section && !line.includes(name)) return;
  throw new DeputyError("BAD_CONFIG", `The file has an entry for ${name} that is written in one line`, {
    hint: "Nothing was changed. Remove that entry and try again.",
  });
}

const TOKEN = /"""|'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}]|\n/g;

/** Which lines begin outside of anything that goes over several lines. */
function linesOf(text: string): Line[] {
  const starts = new Set<number>([0]);
  let open: string | undefined;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (open !== undefined) {
      if (token === open) open = undefined;
    } else if (token === '"""' || token === "'''") open = token;
    else if (token === "[" || token === "{") depth++;
    else if (token === "]" || token === "}") depth--;
    else if (token === "\n" && depth <= 0) {
      depth = 0;
      starts.add(index + 1);
    }
  }
  let at = 0;
  return text.split("\n").map((one) => {
    const line = { text: one.replace(/\r$/, ""), top: starts.has(at) };
    at += one.length + 1;
    return line;
  });
}
