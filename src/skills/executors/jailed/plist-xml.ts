import { Unusable } from "./task.ts";

const DEEPEST = 64;
/** A tag, or what is passed over: declarations, comments, the document type without a subset of its own. */
const TOKEN =
  /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([a-z]+)[^<>]*?(\/?)>/gy;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", apos: "'", quot: '"' };

interface Open {
  readonly name: string;
  readonly items: unknown[];
  readonly keys: string[];
  text: string;
}

/** Apple's XML property lists. Entities other than XML's own five do not exist here, so that nothing can grow. */
export function parseXmlPlist(xml: string): unknown {
  const top: Open = { name: "", items: [], keys: [], text: "" };
  const open: Open[] = [top];
  let at = 0;
  while (at < xml.length) {
    const next = xml.indexOf("<", at);
    const end = next < 0 ? xml.length : next;
    const inside = open.at(-1) ?? top;
    inside.text += unescape(xml.slice(at, end));
    if (next < 0) break;
    TOKEN.lastIndex = next;
    const token = TOKEN.exec(xml);
    if (token === null) throw damaged();
    at = TOKEN.lastIndex;
    const [, data, closing, name = "", empty] = token;
    if (data !== undefined) inside.text += data;
    if (name === "") continue;
    if (closing !== "/") open.push({ name, items: [], keys: [], text: "" });
    if (open.length > DEEPEST) throw new Unusable("the property list is nested too deeply");
    if (closing === "/" || empty === "/") close(open, name);
  }
  if (open.length !== 1 || top.items.length !== 1) throw damaged();
  return top.items[0];
}

function close(open: Open[], name: string): void {
  const done = open.pop();
  const parent = open.at(-1);
  if (done?.name !== name || parent === undefined) throw damaged();
  if (name === "key") parent.keys.push(done.text);
  else parent.items.push(valueOf(done));
}

function valueOf({ name, items, keys, text }: Open): unknown {
  switch (name) {
    case "plist":
      if (items.length !== 1) throw damaged();
      return items[0];
    case "dict":
      if (keys.length !== items.length) throw damaged();
      return Object.fromEntries(keys.map((key, index) => [key, items[index]]));
    case "array":
      return items;
    case "string":
      return text;
    case "integer":
      return integerOf(text.trim());
    case "real":
      return Number.isFinite(Number(text)) ? Number(text) : null;
    case "true":
      return true;
    case "false":
      return false;
    case "date":
      return text.trim();
    case "data":
      return { base64: Buffer.from(text, "base64").toString("base64") };
    default:
      throw damaged();
  }
}

function integerOf(text: string): unknown {
  if (!/^[+-]?(\d{1,20}|0x[\da-f]{1,16})$/i.test(text)) throw damaged();
  const negative = text.startsWith("-");
  const magnitude = BigInt(text.replace(/^[+-]/, ""));
  const value = negative ? -magnitude : magnitude;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function unescape(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (_, decimal, hex, name: string) => {
    if (name !== undefined) {
      const known = ENTITIES[name];
      if (known === undefined) throw damaged();
      return known;
    }
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    if (code > 0x10ffff) throw damaged();
    return String.fromCodePoint(code);
  });
}

function damaged(): Unusable {
  return new Unusable("the XML property list is damaged");
}
