/** What a result and its shape do not agree on. A code is never renamed. */
const resultWarningCodes = {
  UNKNOWN_SHAPE: "no shape has the name",
  UNKNOWN_KEYS: "keys the shape does not declare",
  UNNAMED: "neither id nor name",
  WRONG_TYPE: "a value that is not of its type",
  WRONG_COUNT: "one where a list is declared, or a list where one is",
  WRONG_SHAPE: "a reference to another shape than the relation's",
  REFERENCE_DROPPED: "a reference to nobody",
  CODE_ADVICE: "a standard has a code for it",
  TOO_DEEP: "deeper than is checked",
  TOO_LARGE: "more than is checked",
} as const;

export type ResultWarningCode = keyof typeof resultWarningCodes;

/** Contains no value of the result: it goes where results do not. */
export interface ResultWarning {
  readonly code: ResultWarningCode;
  /** Where, as `email.from`, without positions in lists. */
  readonly where: string;
  readonly message: string;
  /** How many times. */
  readonly count: number;
}

const MOST_WARNINGS = 50;
const MOST_KEYS_SHOWN = 12;

/** Collects warnings, one for all records with the same trouble: a list of a thousand must not fill the screen. */
export function createWarningList(): {
  add(code: ResultWarningCode, where: string, message: string): void;
  addKey(where: string, key: string): void;
  list(): ResultWarning[];
} {
  const warnings = new Map<
    string,
    { code: ResultWarningCode; where: string; message: string; count: number }
  >();
  const unknown = new Map<string, Map<string, number>>();
  let more = 0;
  return {
    add(code, where, message) {
      const key = `${code} ${where} ${message}`;
      const before = warnings.get(key);
      if (before !== undefined) before.count += 1;
      else if (warnings.size < MOST_WARNINGS) warnings.set(key, { code, where, message, count: 1 });
      else more += 1;
    },
    addKey(where, key) {
      const keys = unknown.get(where) ?? new Map<string, number>();
      if (unknown.size < MOST_WARNINGS) unknown.set(where, keys);
      if (keys.has(key) || keys.size < 1000) keys.set(key, (keys.get(key) ?? 0) + 1);
    },
    list() {
      const keys = [...unknown].map(([where, counts]): ResultWarning => {
        const names = [...counts.keys()].sort();
        const rest = names.length > MOST_KEYS_SHOWN ? ` and ${names.length - MOST_KEYS_SHOWN} more` : "";
        const shown = names.slice(0, MOST_KEYS_SHOWN).map(showKey).join(", ");
        const count = Math.max(...counts.values());
        return { code: "UNKNOWN_KEYS", where, message: `${where} declares no ${shown}${rest}`, count };
      });
      const all: ResultWarning[] = [...warnings.values(), ...keys];
      if (more > 0)
        all.push({
          code: "TOO_LARGE",
          where: "",
          message: `${more} more warnings are not shown`,
          count: more,
        });
      return all;
    },
  };
}

/** A key is the result's word, not ours: short, and nothing a terminal would obey. */
export function showKey(key: string): string {
  if (/^[\w.[\]-]{1,40}$/.test(key)) return key;
  const cut = key.length > 40 ? `${key.slice(0, 40)}…` : key;
  return JSON.stringify(cut).replace(/[^\x20-\x7e…]/g, "?");
}
