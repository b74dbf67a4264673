import { DeputyError } from "../kernel/index.ts";

const MINUTE = 60_000;
const UNITS: Record<string, number> = { m: MINUTE, h: 60 * MINUTE, d: 1440 * MINUTE, w: 10_080 * MINUTE };

/** A longer time is a slip of the finger; without an end a grant holds until it is removed. */
const LONGEST = 100 * 365 * 1440 * MINUTE;

/** When `30m`, `12h`, `7d`, `4w` or an ISO date is over. A date alone is its first moment in UTC, as ISO dates are. */
export function parseExpiry(text: string, now: number): number {
  const at = asDuration(text, now) ?? asDate(text);
  if (at === undefined) {
    throw new DeputyError("BAD_INPUT", "Cannot tell when that grant ends", {
      hint: "Give a time such as 30m, 12h, 7d or 4w, or a date such as 2030-12-31.",
    });
  }
  if (at <= now || at > now + LONGEST) {
    const why = at <= now ? "its end is past already" : "its end is more than a hundred years away";
    throw new DeputyError("BAD_INPUT", `Cannot make that grant: ${why}`, {
      hint: "Leave --expires out for one that holds until it is removed.",
    });
  }
  return at;
}

function asDuration(text: string, now: number): number | undefined {
  const [, count, unit = ""] = /^(\d{1,9})([mhdw])$/.exec(text) ?? [];
  const length = UNITS[unit];
  return length === undefined ? undefined : now + Number(count) * length;
}

function asDate(text: string): number | undefined {
  const [, day] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

/** Date.parse makes the second of March of the thirtieth of February. */
function isDay(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}
