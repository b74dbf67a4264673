/** Fields that hold a code of a standard, by the end of their name, and what to say where they hold something else. */
const CODES: readonly { field: RegExp; advice: string; fits: (text: string) => boolean }[] = [
  {
    field: /(^|_)(?<!programming_)languages?$/,
    advice: "an ISO 639-1 code such as en or pt-BR",
    fits: (text) => /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(text) && isKnown("language", text),
  },
  {
    field: /(^|_)country_code$/,
    advice: "an ISO 3166-1 code such as US or JP",
    fits: (text) => /^[A-Z]{2}$/.test(text) && isKnown("region", text),
  },
  {
    field: /(^|_)currency$/,
    advice: "an ISO 4217 code such as USD or EUR",
    fits: (text) => /^[A-Z]{3}$/.test(text) && isKnown("currency", text),
  },
  { field: /(^|_)time_?zone$/, advice: "an IANA name such as Europe/London", fits: isTimeZone },
];

export type FindCodeAdvice = (field: string, value: unknown) => string | undefined;

/**
 * What a field should hold by its standard, where a value does not. Advice only: the value stays. It remembers what it
 * looked up, as a list has the same few codes over and over.
 */
export function createCodeAdvice(): FindCodeAdvice {
  const known = new Map<string, boolean>();
  return (field, value) => {
    const code = CODES.find((one) => one.field.test(field));
    if (code === undefined) return undefined;
    const fits = (text: unknown): boolean => {
      if (typeof text !== "string") return true;
      const key = `${code.advice} ${text}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const now = code.fits(text);
      if (known.size < MOST_REMEMBERED) known.set(key, now);
      return now;
    };
    return (Array.isArray(value) ? value : [value]).every(fits) ? undefined : code.advice;
  };
}

const MOST_REMEMBERED = 1000;

function isKnown(type: "language" | "region" | "currency", text: string): boolean {
  try {
    return new Intl.DisplayNames("en", { type, fallback: "none" }).of(text) !== undefined;
  } catch {
    return false;
  }
}

function isTimeZone(text: string): boolean {
  try {
    // Offsets such as +02:00 are taken too, and are no zone.
    return /[A-Za-z]/.test(new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone);
  } catch {
    return false;
  }
}
