/** Undefined for what is no JSON: the parser's own error quotes what it stumbled over. */
export function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
