/** Shorter values are words and numbers: masking them by themselves would leave no page whole. */
export const SHORTEST = 8;

/** What stands in the place of a credential. */
export const MASK = "[redacted]";

/** Whether nobody would write it by chance: only then is a value a site made hidden wherever it stands. */
export function looksDrawn(value: string): boolean {
  return /^(?=.*\d)(?=.*[a-z]).{16,}$/i.test(value);
}

export interface SecretForm {
  readonly text: string;
  /** Inside of base64 the mask must be base64 of the same length. */
  readonly base64: boolean;
}

/** How a value may stand in a message: as it is, escaped for JSON in JSON, for addresses, or in base64. */
export function secretForms(value: string): SecretForm[] {
  const bare = value.replace(/^"(.*)"$/, "$1");
  if (Buffer.byteLength(bare) < SHORTEST) return [];
  const component = encodeURIComponent(bare);
  const form = new URLSearchParams([["", bare]]).toString().slice(1);
  const texts = [
    ...escapings(bare),
    ...[component, form].flatMap((text) => [text, text.replace(/%../g, (escape) => escape.toLowerCase())]),
    ...escapings(decoded(bare)),
  ].filter((text) => text.length >= SHORTEST);
  const inBase64 = [0, 1, 2].flatMap((offset) => base64At(Buffer.from(bare), offset));
  return [
    ...[...new Set(texts)].map((text) => ({ text, base64: false })),
    ...[...new Set(inBase64)]
      .filter((text) => text.length >= SHORTEST && !texts.includes(text))
      .map((text) => ({ text, base64: true })),
  ];
}

/** A message is JSON, a body in it may be, and a text in that. */
function escapings(value: string): string[] {
  const texts = [value];
  while (texts.length < 4) texts.push(JSON.stringify(texts.at(-1)).slice(1, -1));
  return texts;
}

/** Servers show what they read out of a cookie, and most of them unescape it first. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** What of the base64 text is the same whatever stands before and after the value, when it begins at this offset. */
function base64At(bytes: Buffer, offset: number): string[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64url");
  const stable = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  return [stable, stable.replaceAll("-", "+").replaceAll("_", "/")];
}
