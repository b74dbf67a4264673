import { bytesOf } from "./bytes.ts";
import { parseBinaryPlist } from "./plist-binary.ts";
import { parseXmlPlist } from "./plist-xml.ts";
import { type PlistTask, Unusable } from "./task.ts";

/** A property list as JSON: data is `{base64}`, a date ISO text, a reference in a keyed archive `{"CF$UID": n}`. */
export function parsePlist({ input, extract }: PlistTask): unknown {
  const value = read(input);
  if (extract === null) return value;
  return Object.fromEntries(Object.entries(extract).map(([name, part]) => [name, partOf(value, part)]));
}

function read(input: unknown): unknown {
  if (typeof input === "string" && /^[\s\uFEFF]*</.test(input)) return parseXmlPlist(input);
  const bytes = bytesOf(input, "property list", true);
  if (bytes.subarray(0, 8).toString("latin1") === "bplist00") return parseBinaryPlist(bytes);
  const text = bytes.toString();
  if (/^[\s\uFEFF]*</.test(text)) return parseXmlPlist(text);
  throw new Unusable("it is neither an XML nor a binary property list");
}

function partOf(value: unknown, part: number | string): unknown {
  if (typeof value !== "object" || value === null) return null;
  if (typeof part === "string")
    return Object.hasOwn(value, part) ? (Reflect.get(value, part) as unknown) : null;
  const objects: unknown = Array.isArray(value) ? value : Reflect.get(value, "$objects");
  return Array.isArray(objects) ? ((objects[part] as unknown) ?? null) : null;
}
