/** The JSON object that follows a marker in a page's script. */
export function jsonAfter(page: string, marker: string): unknown {
  const at = page.indexOf(marker);
  const start = at < 0 ? -1 : page.indexOf("{", at);
  if (start < 0) return undefined;
  let depth = 0;
  let quoted = false;
  for (let index = start; index < page.length; index++) {
    const char = page[index];
    if (quoted) {
      if (char === "\\") index++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return JSON.parse(page.slice(start, index + 1));
  }
  return undefined;
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

export function decodeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) =>
    name === undefined
      ? String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal))
      : (NAMED[name] ?? whole),
  );
}
