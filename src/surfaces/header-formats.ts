import { type Cookie, cookieHeader } from "../cookies/index.ts";
import type { Rendered, Task, WriteOf } from "./file-format.ts";
import { SEAL_MARK } from "./sidecar-seal.ts";

/** RFC 6265bis 5.8.3: longer paths first, then the older. */
export function headerOf(cookies: readonly Cookie[]): string {
  return cookieHeader(cookies.toSorted((a, b) => b.path.length - a.path.length || a.created - b.created));
}

export function configToml(task: Task, { key, fresh }: WriteOf<"config-toml">): Rendered {
  const text = task.old ?? fresh;
  return compare(task, tomlValue(text, key), (header) => patchToml(text, key, header));
}

export function cookiesJson(task: Task): Rendered {
  return compare(task, jsonHeader(task.old), (cookies) => `${JSON.stringify({ cookies }, null, 2)}\n`);
}

function compare(task: Task, stored: string, write: (header: string) => string): Rendered {
  const header = headerOf(task.want);
  const before = stored.startsWith(SEAL_MARK) ? (task.seal?.open(stored) ?? "") : stored;
  const pairs = new Set(before.split("; "));
  const unchanged = task.want.filter((cookie) => pairs.has(cookieHeader([cookie]))).length;
  const names = new Set([...pairs].map((pair) => pair.split("=")[0]));
  const deleted = task.gone.filter(
    ({ name }) => names.has(name) && !task.want.some((cookie) => cookie.name === name),
  ).length;
  const asWished = before === header && stored.startsWith(SEAL_MARK) === (task.seal !== undefined);
  const same = task.old !== undefined && asWished;
  return { text: same ? (task.old ?? "") : write(task.seal?.seal(header) ?? header), unchanged, deleted };
}

/** https://toml.io/en/v1.0.0#string: a literal string has no escapes, so one with a quote becomes a basic string. */
function tomlString(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`;
}

function tomlLine(key: string): RegExp {
  return new RegExp(`^${key}[ \\t]*=[ \\t]*('[^'\\n]*'|"(?:[^"\\\\\\n]|\\\\.)*")[ \\t]*(#.*)?$`, "m");
}

/** The key counts only before the first table: below it, it is another one. */
function topOf(text: string): string {
  const at = text.search(/^[ \t]*\[/m);
  return at < 0 ? text : text.slice(0, at);
}

function tomlValue(text: string, key: string): string {
  const written = tomlLine(key).exec(topOf(text))?.[1] ?? "''";
  if (written.startsWith("'")) return written.slice(1, -1);
  try {
    return String(JSON.parse(written));
  } catch {
    return "";
  }
}

function patchToml(text: string, key: string, header: string): string {
  const line = `${key} = ${tomlString(header)}`;
  const top = topOf(text);
  if (tomlLine(key).test(top)) return top.replace(tomlLine(key), () => line) + text.slice(top.length);
  return `${line}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}`;
}

function jsonHeader(text: string | undefined): string {
  try {
    const { cookies } = JSON.parse(text ?? "{}") as { cookies?: unknown };
    return typeof cookies === "string" ? cookies : "";
  } catch {
    return "";
  }
}
