import { randomInt } from "node:crypto";

const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const EPOCH = Date.UTC(2020, 0, 1);
const TAIL = 32 ** 5;

/**
 * Short ids that a small model can copy: eight characters of time, then five that begin anywhere and count on within
 * a millisecond. They sort by the time they were made.
 */
export function createIds(): (at: number) => string {
  let last = 0;
  let tail = 0;
  return (at) => {
    const now = Math.max(at - EPOCH, last, 0);
    tail = now === last ? (tail + 1) % TAIL : randomInt(TAIL);
    last = now;
    return `${digits(now, 8)}${digits(tail, 5)}`;
  };
}

function digits(value: number, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) text = DIGITS[rest % 32] + text;
  return text;
}
