export type JsonRecord = Readonly<Record<string, unknown>>;

/** JSON's null says the same as a key that is not there. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** Only what a result itself has: `constructor` is nobody's field. */
export function valueOf(record: JsonRecord, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
