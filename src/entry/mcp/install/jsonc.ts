import { DeputyError } from "../../../kernel/index.ts";

/** A member of an object, by its place in the text. */
interface Member {
  readonly key: string;
  readonly keyAt: number;
  readonly value: Value;
  /** After its comma, or after its value where it has none. */
  readonly end: number;
  readonly comma: boolean;
}

interface Value {
  readonly at: number;
  readonly end: number;
  /** Of an object. */
  readonly members: readonly Member[] | undefined;
}

/**
 * Sets `text[section][name]` in JSON with comments and touches nothing else: comments, order, odd spacing and other entries
 * stay as their owner wrote them.
 */
export function setMember(text: string, [section, name]: readonly [string, string], value: unknown): string {
  const style = styleOf(text);
  if (text.replace(/^\uFEFF/, "").trim() === "")
    return `${write({ [section]: { [name]: value } }, 0, style)}${style.line}`;
  const root = parse(text);
  const members = membersOf(root, "The file");
  const found = last(members, section);
  if (found === undefined) return insert(text, root, 1, section, { [name]: value }, style);
  const inside = membersOf(found.value, section);
  const entry = last(inside, name);
  if (entry === undefined) return insert(text, found.value, 2, name, value, style);
  return text.slice(0, entry.value.at) + write(value, 2, style) + text.slice(entry.value.end);
}

/** Takes `text[section][name]` out, with the comma that is then too many. The same text where it is not there. */
export function removeMember(text: string, [section, name]: readonly [string, string]): string {
  const found = text.trim() === "" ? undefined : last(membersOf(parse(text), "The file"), section);
  const members = found?.value.members ?? [];
  const entry = last(members, name);
  if (entry === undefined) return text;
  const before = members[members.indexOf(entry) - 1];
  const start = lineStart(text, entry.keyAt);
  const end = lineEnd(text, entry.end);
  const rest = text.slice(end);
  // The one before keeps its comma only if something follows it.
  if (before?.comma === true && !entry.comma) {
    const comma = before.end - 1;
    return text.slice(0, comma) + text.slice(comma + 1, start) + rest;
  }
  return text.slice(0, start) + rest;
}

/** What is there, without comments. Undefined where it is not. */
export function readMember(text: string, [section, name]: readonly [string, string]): unknown {
  if (text.trim() === "") return undefined;
  const found = last(membersOf(parse(text), "The file"), section);
  const entry = last(found?.value.members ?? [], name);
  return entry === undefined ? undefined : plainJson(text.slice(entry.value.at, entry.value.end));
}

/** Whether nothing is left but empty objects. */
export function isEmptyDocument(text: string): boolean {
  return text.trim() === "" || /^\s*\{\s*("[^"]*"\s*:\s*\{\s*\}\s*)?\}\s*$/.test(text);
}

interface Style {
  readonly line: string;
  readonly indent: string;
}

function styleOf(text: string): Style {
  const line = text.includes("\r\n") ? "\r\n" : "\n";
  return { line, indent: /\n([ \t]+)"/.exec(text)?.[1] ?? "  " };
}

function write(value: unknown, depth: number, { line, indent }: Style): string {
  return JSON.stringify(value, null, indent).replaceAll("\n", `${line}${indent.repeat(depth)}`);
}

function insert(text: string, into: Value, depth: number, key: string, value: unknown, style: Style): string {
  const member = `${JSON.stringify(key)}: ${write(value, depth, style)}`;
  const lead = `${style.line}${style.indent.repeat(depth)}`;
  const before = into.members?.at(-1);
  if (before === undefined) {
    const close = `${style.line}${style.indent.repeat(depth - 1)}`;
    const inside = text.slice(into.at + 1, into.end - 1).trimEnd(); // perhaps a comment
    return `${text.slice(0, into.at + 1)}${inside}${lead}${member}${close}${text.slice(into.end - 1)}`;
  }
  const comma = before.comma ? "" : ",";
  return `${text.slice(0, before.end)}${comma}${lead}${member}${text.slice(before.end)}`;
}

/** Where a name is given twice the last one counts. */
function last(members: readonly Member[], key: string): Member | undefined {
  return members.findLast((member) => member.key === key);
}

function membersOf({ members }: Value, what: string): readonly Member[] {
  if (members === undefined) throw unusable(`${what} is not an object`);
  return members;
}

/** The whole line where nothing else is on it. */
function lineStart(text: string, at: number): number {
  const line = text.lastIndexOf("\n", at - 1);
  return text.slice(line + 1, at).trim() === "" ? Math.max(0, line) - (text[line - 1] === "\r" ? 1 : 0) : at;
}

function lineEnd(text: string, at: number): number {
  const next = text.indexOf("\n", at);
  const rest = text.slice(at, next === -1 ? text.length : next);
  return rest.trim() === "" ? at + rest.trimEnd().length : at;
}

function parse(text: string): Value {
  const root = readValue(text, skip(text, text.startsWith("\uFEFF") ? 1 : 0));
  if (skip(text, root.end) < text.length) throw broken(text, root.end);
  return root;
}

const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const SCALAR = /-?\d[\d.eE+-]*|true|false|null/y;

function readValue(text: string, at: number): Value {
  const first = text[at];
  if (first === "{") return readObject(text, at);
  if (first === "[") return readArray(text, at);
  const end = match(first === '"' ? STRING : SCALAR, text, at);
  return { at, end, members: undefined };
}

function readObject(text: string, at: number): Value {
  const members: Member[] = [];
  let here = skip(text, at + 1);
  while (text[here] !== "}") {
    const keyEnd = match(STRING, text, here);
    const colon = skip(text, keyEnd);
    if (text[colon] !== ":") throw broken(text, colon);
    const value = readValue(text, skip(text, colon + 1));
    const after = skip(text, value.end);
    const comma = text[after] === ",";
    if (!comma && text[after] !== "}") throw broken(text, after);
    const key = JSON.parse(text.slice(here, keyEnd)) as string;
    members.push({ key, keyAt: here, value, end: comma ? after + 1 : value.end, comma });
    here = comma ? skip(text, after + 1) : after;
  }
  return { at, end: here + 1, members };
}

function readArray(text: string, at: number): Value {
  let here = skip(text, at + 1);
  while (text[here] !== "]") {
    const after = skip(text, readValue(text, here).end);
    if (text[after] !== "," && text[after] !== "]") throw broken(text, after);
    here = text[after] === "," ? skip(text, after + 1) : after;
  }
  return { at, end: here + 1, members: undefined };
}

const BLANK = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;

function skip(text: string, at: number): number {
  BLANK.lastIndex = at;
  return at + (BLANK.exec(text)?.[0].length ?? 0);
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  if (found === null) throw broken(text, at);
  return at + found[0].length;
}

function plainJson(text: string): unknown {
  const bare = text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\/|,(?=\s*[}\]])/g, (one) =>
    one.startsWith('"') ? one : "",
  );
  try {
    return JSON.parse(bare);
  } catch {
    return undefined;
  }
}

function broken(text: string, at: number): DeputyError {
  const line = text.slice(0, at).split("\n").length;
  return unusable(`It is not JSON at line ${line}`);
}

function unusable(why: string): DeputyError {
  return new DeputyError("BAD_CONFIG", why, {
    hint: "Nothing was changed. Mend the file, or add the entry by hand.",
  });
}
