/** Control and format characters (bidi overrides, zero widths), which make one name look like another, and half characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** A name with nothing hidden in it: what cannot be seen is written as `\u{202e}`. */
export function visibleName(name: string): string {
  return name.replace(UNSEEN, (one) => `\\u{${one.codePointAt(0)?.toString(16) ?? ""}}`);
}
