import type { RefusalReason } from "./refusal.ts";

/** RFC 6265bis 5.6: "If the sum of the lengths of the name string and the value string is more than 4096 octets". */
const MAX_NAME_AND_VALUE = 4096;
/** RFC 6265bis 5.6: "If the attribute-value is longer than 1024 octets, ignore the cookie-av string". */
const MAX_ATTRIBUTE_VALUE = 1024;

/** What one Set-Cookie header says, before anyone asked who said it. Attribute names are lower case. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** The last attribute of a name wins, even when its value is empty. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** Reads one Set-Cookie header: RFC 6265bis 5.6, with Chromium's answer where the text leaves a choice. */
export function parseSetCookie(header: string): SetCookie | RefusalReason {
  const [first = "", ...rest] = header.split(";");
  // "If the name-value-pair string lacks a %x3D ("=") character, then the name string is empty, and the value
  // string is the value of name-value-pair."
  const { name, value } = first.includes("=") ? splitPair(first) : { name: "", value: trim(first) };
  const refusal = /[\0\r\n]/.test(header) ? "control-character" : pairRefusal(name, value);
  if (refusal !== undefined) return refusal;

  const attributes = new Map<string, string>();
  for (const part of rest) {
    const attribute = part.includes("=") ? splitPair(part) : { name: trim(part), value: "" };
    if (hasControl(attribute.name) || hasControl(attribute.value)) return "control-character";
    if (Buffer.byteLength(attribute.value) > MAX_ATTRIBUTE_VALUE) continue;
    attributes.set(attribute.name.toLowerCase(), attribute.value);
  }
  return { name, value, attributes };
}

/** Why no cookie may have this name and value, or undefined. */
export function pairRefusal(name: string, value: string): RefusalReason | undefined {
  if (hasControl(name) || hasControl(value)) return "control-character";
  // "If the name string is empty and the value string is empty, abort these steps".
  if (name === "" && value === "") return "no-content";
  // Sent back as `a=b`, it would claim a name it was not set under. Chromium 156 refuses it.
  if (name === "" && value.includes("=")) return "name-ambiguous";
  const size = Buffer.byteLength(name) + Buffer.byteLength(value);
  return size > MAX_NAME_AND_VALUE ? "too-large" : undefined;
}

/** Name and value around the first `=`, without the space and tabs around each. */
export function splitPair(text: string): { name: string; value: string } {
  const at = text.indexOf("=");
  return { name: trim(text.slice(0, at)), value: trim(text.slice(at + 1)) };
}

/** "Remove any leading or trailing WSP characters": space and tab only, not what JavaScript trims. */
function trim(text: string): string {
  return text.replace(/^[ \t]+/, "").replace(/[ \t]+$/, "");
}

/** "If the set-cookie-string contains a %x00-08 / %x0A-1F / %x7F character, abort"; Chromium adds an inner tab. */
function hasControl(text: string): boolean {
  return /[\x00-\x1f\x7f]/.test(text);
}
