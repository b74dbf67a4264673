/** A map of a manifest before its form is known. */
export type AnyMap = Record<string, unknown>;

export function mapOf(value: unknown): AnyMap | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as AnyMap) : undefined;
}

/** Without the keys that nothing was said for. */
export function defined(map: AnyMap): AnyMap {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined));
}
