const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** Chromium's cookie_util.cc: everything printable that is neither a letter, a digit nor a colon. */
const DELIMITERS = /[\t !"#$%&'()*+,\-./;<=>?@[\\\]^_`{|}~]+/;
const INT32_MAX = 2 ** 31 - 1;

/**
 * Reads the date of an Expires attribute as Chromium does: fields are known by their look, not by their place.
 * RFC 6265bis 5.1.1 has years of four digits; Chromium reads five, hence `latestYear`.
 */
export function parseCookieDate(text: string, latestYear = 9999): number | undefined {
  let day: number | undefined;
  let month: number | undefined;
  let year: number | undefined;
  let time: readonly number[] | undefined;
  for (const token of text.split(DELIMITERS)) {
    if (token === "") continue;
    if (!/^\d/.test(token)) {
      const found = MONTHS.indexOf(token.slice(0, 3).toLowerCase());
      if (month === undefined && found >= 0) month = found;
    } else if (token.includes(":")) {
      const fields = /^(\d+):(\d+):(\d+)$/.exec(token)?.slice(1).map(Number);
      if (fields?.every((field) => field <= INT32_MAX) === true) time ??= fields;
    } else if (!/^\d+$/.test(token)) {
      // The RFC would read "15th"; Chromium 156 wants digits and nothing else, in a time as well.
    } else if (day === undefined && token.length <= 2) {
      day = Number(token);
    } else if (year === undefined && token.length <= 5) {
      year = Number(token);
    }
  }
  if (day === undefined || month === undefined || year === undefined || time === undefined) return undefined;
  // "If the year-value is greater than or equal to 70 and less than or equal to 99, increment by 1900", else by 2000.
  if (year <= 99) year += year >= 70 ? 1900 : 2000;
  return year > latestYear ? undefined : utc(year, month, day, time);
}

/** Undefined for a date no calendar has. A leap second is one of those, as it is in Chromium. */
function utc(year: number, month: number, day: number, time: readonly number[]): number | undefined {
  const [hour = 0, minute = 0, second = 0] = time;
  const date = new Date(0);
  // Not Date.UTC, which would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month, day);
  date.setUTCHours(hour, minute, second);
  const exact =
    date.getUTCMonth() === month &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second;
  return exact ? date.getTime() : undefined;
}
