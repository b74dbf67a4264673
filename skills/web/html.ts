/** HTML as browsers forgive it: a tree of elements and texts, enough to read a page by. */

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Node[];
}
export type Node = Element | string;

const EMPTY = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** What is between these is no markup. */
const RAW = new Set(["script", "style", "textarea", "title", "noscript", "iframe", "template"]);
/** An element that a beginning one ends, where it was left open. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  li: ["li"],
  dt: ["dt", "dd"],
  dd: ["dt", "dd"],
  tr: ["tr", "td", "th"],
  td: ["td", "th"],
  th: ["td", "th"],
  tbody: ["tr", "td", "th", "thead", "tbody"],
  option: ["option"],
};
/** These end an open paragraph. */
const BLOCKS = new Set(
  "address article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul".split(
    " ",
  ),
);
/** No element above is ended by one inside these. */
const WALLS = new Set(["table", "ul", "ol", "dl", "td", "th", "body", "div", "section", "article", "main"]);
const MAX_DEPTH = 500;

export function parseHtml(html: string): Element {
  const root: Element = { name: "#root", attributes: {}, children: [] };
  const open: Element[] = [root];
  const top = () => open[open.length - 1] ?? root;
  const token =
    /<!--[\s\S]*?(?:-->|$)|<![^>]*>|<\?[^>]*>|<(\/?)([a-zA-Z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/g;
  let at = 0;
  for (let found = token.exec(html); found !== null; found = token.exec(html)) {
    if (found.index > at) top().children.push(decode(html.slice(at, found.index)));
    at = token.lastIndex;
    const name = found[2]?.toLowerCase();
    if (name === undefined) continue;
    if (found[1] === "/") {
      const index = open.findLastIndex((one) => one.name === name);
      if (index > 0) open.length = index;
      continue;
    }
    endBefore(name, open);
    const element: Element = { name, attributes: attributes(found[3] ?? ""), children: [] };
    top().children.push(element);
    if (RAW.has(name)) {
      const end = new RegExp(`</${name}[\\s>]`, "gi");
      end.lastIndex = at;
      const stop = end.exec(html)?.index ?? html.length;
      const text = html.slice(at, stop);
      element.children.push(name === "title" || name === "textarea" ? decode(text) : text);
      at = stop;
      token.lastIndex = stop;
    } else if (!EMPTY.has(name) && !(found[3] ?? "").endsWith("/") && open.length < MAX_DEPTH)
      open.push(element);
  }
  if (at < html.length) top().children.push(decode(html.slice(at)));
  return root;
}

function endBefore(name: string, open: Element[]): void {
  const ended = new Set([...(ENDS[name] ?? []), ...(BLOCKS.has(name) ? ["p"] : [])]);
  for (let index = open.length - 1; index > 0; index--) {
    const one = open[index]?.name ?? "";
    if (ended.has(one)) open.length = index;
    else if (WALLS.has(one)) return;
  }
}

function attributes(text: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  for (const [, name = "", , double, single, bare] of text.matchAll(
    /([^\s=/"'>]+)(\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g,
  )) {
    found[name.toLowerCase()] ??= decode(double ?? single ?? bare ?? "");
  }
  return found;
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  reg: "®",
  trade: "™",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  laquo: "«",
  raquo: "»",
  bull: "•",
  middot: "·",
  times: "×",
  euro: "€",
  pound: "£",
  deg: "°",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  Auml: "Ä",
  Ouml: "Ö",
  Uuml: "Ü",
  szlig: "ß",
  eacute: "é",
  egrave: "è",
  agrave: "à",
  ccedil: "ç",
  ntilde: "ñ",
  rarr: "→",
  larr: "←",
};

export function decode(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z][a-z0-9]*));?/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
        ? String.fromCodePoint(code)
        : "\ufffd";
    },
  );
}

export function* elements(node: Element): Generator<Element> {
  for (const child of node.children) {
    if (typeof child === "string") continue;
    yield child;
    yield* elements(child);
  }
}

export function textOf(node: Node): string {
  if (typeof node === "string") return node;
  if (node.name === "script" || node.name === "style" || node.name === "template") return "";
  return node.children.map((child) => textOf(child)).join("");
}
