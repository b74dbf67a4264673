/** Shorter values are words: masking them would hide half of every page and protect nothing. */
const SHORTEST = 8;
/** What a template made of a secret is known to be one, and yet no shorter one can be told from the rest of an answer. */
const SHORTEST_WRITTEN = 4;

/** The forms in which a server may echo a secret: as it is, escaped, or inside a longer base64 text. */
export function secretPatterns(secret: string): string[] {
  const bytes = Buffer.from(secret);
  if (bytes.length < SHORTEST) return [];
  const component = encodeURIComponent(secret);
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  const forms = [
    secret,
    component,
    form,
    // Every byte escaped, and the lower case some servers write.
    ...[component, form].map((text) => text.replace(/%../g, (escape) => escape.toLowerCase())),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll("/", "\\/"),
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
  ];
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST);
}

/** The forms of a text that is too short to be looked for in every answer. Digits and literals would leave no JSON whole. */
export function shortPatterns(text: string): string[] {
  const { length } = Buffer.from(text);
  if (length < SHORTEST_WRITTEN || length >= SHORTEST || /^(\d+|true|false|null)$/.test(text)) return [];
  return [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)];
}

/** What of the base64 text is the same whatever stands before and after the secret, when it begins at this offset. */
function base64At(bytes: Buffer, offset: number): string[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64url");
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor(((offset + bytes.length) * 8) / 6);
  const stable = text.slice(from, to);
  return [stable, stable.replaceAll("-", "+").replaceAll("_", "/")];
}
