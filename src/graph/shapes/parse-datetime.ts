/**
 * A moment as ISO 8601, as exact as it was given: "2019", "2019-10", "2019-10-30", with a time, with a zone. Written
 * here because Date.parse reads a date in the zone of the machine it runs on, and guesses.
 */
export function parseDatetime(value: string | number, now: number): string | undefined {
  if (typeof value === "number") return fromNumber(value);
  const text = value.trim().replace(/\s+/g, " ");
  if (text === "" || text.length > 64) return undefined;
  if (/^-?\d+(\.\d+)?$/.test(text) && !/^\d{8}$/.test(text)) return fromNumber(Number(text));
  return fromIso(text) ?? fromRelative(text.toLowerCase(), now) ?? fromWords(text);
}

/** Seconds, milliseconds or microseconds since 1970 by their size; four digits are a year. */
function fromNumber(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  if (Number.isInteger(value) && value >= 1000 && value <= 9999) return String(value);
  const size = Math.abs(value);
  const milliseconds = size < 1e11 ? value * 1000 : size < 1e14 ? value : value / 1000;
  return iso(milliseconds);
}

function iso(milliseconds: number): string | undefined {
  const date = new Date(milliseconds);
  const year = date.getUTCFullYear();
  // Also false for a date that is none.
  if (!(year >= 1 && year <= 9999)) return undefined;
  return date.toISOString().replace(".000Z", "Z");
}

const ISO =
  /^(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?|UTC|GMT)?)?$/i;

function fromIso(text: string): string | undefined {
  const match = ISO.exec(text.replace(/^(\d{4})\/(\d{1,2})\/(\d{1,2})/, slashes));
  if (match === null) return undefined;
  const [, year = "", month, day, hour, minute = "00", second, fraction, zone] = match;
  if (month === undefined) return hour === undefined ? year : undefined;
  if (day === undefined) return hour === undefined && inRange(month, 1, 12) ? `${year}-${month}` : undefined;
  const time = hour === undefined ? "" : clock({ hour, minute, second, fraction, zone });
  return time === undefined ? undefined : calendar(year, month, day, time);
}

function slashes(_: string, year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

const UNITS: Record<string, number> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};

function fromRelative(text: string, now: number): string | undefined {
  if (text === "now" || text === "just now") return iso(now);
  if (text === "today") return iso(now)?.slice(0, 10);
  if (text === "yesterday") return iso(now - 86_400_000)?.slice(0, 10);
  if (text === "tomorrow") return iso(now + 86_400_000)?.slice(0, 10);
  const match = /^(\d{1,6}|an?) (second|minute|hour|day|week|month|year)s? ago$/.exec(text);
  if (match === null) return undefined;
  const [, amount = "", unit = ""] = match;
  const count = amount.startsWith("a") ? 1 : Number(amount);
  const length = UNITS[unit];
  if (length !== undefined) {
    const moment = iso(now - count * length);
    return length < 86_400_000 ? moment : moment?.slice(0, 10);
  }
  // "3 months ago" does not say which day.
  const date = new Date(now);
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() - count * (unit === "year" ? 12 : 1);
  if (months < 12) return undefined;
  const year = String(Math.floor(months / 12)).padStart(4, "0");
  return unit === "year" ? year : `${year}-${String((months % 12) + 1).padStart(2, "0")}`;
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH = "(?<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?";
const TIME =
  "(?:,? (?:at )?(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2}))? ?(?<half>[ap]\\.?m\\.?)? ?(?<zone>Z|UTC|GMT|(?:GMT)?[+-]\\d{2}:?\\d{2})?(?: \\([^)]*\\))?)?";
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
const WEEKDAY = "(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\.?,? )?";
const YEAR = "(?<year>\\d{4})";
/** Words for dates as services and mail headers write them; the last is what C's asctime makes. */
const WORDS = [
  `${WEEKDAY}${MONTH} ${DAY},? ${YEAR}${TIME}`,
  `${WEEKDAY}${DAY}[ -](?:of )?${MONTH}[ ,-]+${YEAR}${TIME}`,
  `${MONTH},? ${YEAR}`,
  `${WEEKDAY}${MONTH} ${DAY} (?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2}) ${YEAR}`,
].map((pattern) => new RegExp(`^${pattern}$`, "i"));

function fromWords(text: string): string | undefined {
  for (const pattern of WORDS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const { year = "", month: word = "", day, hour, minute = "00", second, half, zone } = match.groups ?? {};
    const month = String(MONTHS.indexOf(word.toLowerCase()) + 1).padStart(2, "0");
    if (day === undefined) return `${year}-${month}`;
    const time = hour === undefined ? "" : clock({ hour, minute, second, half, zone });
    return time === undefined ? undefined : calendar(year, month, day.padStart(2, "0"), time);
  }
  return fromNumbers(text);
}

/** 13/04/2024 and 04/13/2024 say which part is the day; 03/04/2024 does not, and is left alone. */
function fromNumbers(text: string): string | undefined {
  const match = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/.exec(text);
  if (match === null) return undefined;
  const [first, second] = [Number(match[1]), Number(match[2])];
  if (first <= 12 && second <= 12 && first !== second) return undefined;
  const [day, month] = second > 12 ? [second, first] : [first, second];
  return calendar(match[3] ?? "", String(month).padStart(2, "0"), String(day).padStart(2, "0"), "");
}

interface Clock {
  hour: string;
  minute: string;
  second?: string | undefined;
  fraction?: string | undefined;
  half?: string | undefined;
  zone?: string | undefined;
}

function clock({ hour, minute, second = "00", fraction, half, zone }: Clock): string | undefined {
  let hours = Number(hour);
  if (half !== undefined) {
    if (hours < 1 || hours > 12) return undefined;
    hours = (hours % 12) + (/^p/i.test(half) ? 12 : 0);
  }
  if (hours > 23 || !inRange(minute, 0, 59) || !inRange(second, 0, 60)) return undefined;
  const exact = fraction === undefined || /^0+$/.test(fraction) ? "" : `.${fraction}`;
  return `T${String(hours).padStart(2, "0")}:${minute}:${second}${exact}${offset(zone)}`;
}

function offset(zone: string | undefined): string {
  if (zone === undefined) return "";
  const digits = /([+-]\d{2}):?(\d{2})?$/.exec(zone);
  if (digits === null) return "Z";
  const text = `${digits[1]}:${digits[2] ?? "00"}`;
  return text === "+00:00" || text === "-00:00" ? "Z" : text;
}

function calendar(year: string, month: string, day: string, time: string): string | undefined {
  if (!inRange(month, 1, 12) || !inRange(day, 1, 31) || Number(year) < 1) return undefined;
  const last = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(day) <= last ? `${year}-${month}-${day}${time}` : undefined;
}

function inRange(text: string, least: number, most: number): boolean {
  return Number(text) >= least && Number(text) <= most;
}
