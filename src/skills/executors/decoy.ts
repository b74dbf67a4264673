import { randomBytes, randomInt } from "node:crypto";

const KINDS = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"];

/**
 * A login that is nobody's, in the form of one: every letter another letter, every digit another digit, drawn anew each
 * time, so that nothing can be made of both that tells anything but the form.
 */
export function decoyOf(value: unknown): unknown {
  if (typeof value === "string") {
    const random = randomBytes(value.length);
    return value.replaceAll(/[A-Za-z0-9]/g, (one, at: number) => another(one, random[at] ?? 0));
  }
  if (typeof value === "number") return value + randomInt(1, 1000);
  if (Array.isArray(value)) return value.map(decoyOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, decoyOf(one)]));
}

function another(character: string, random: number): string {
  const kind = KINDS.find((one) => one.includes(character)) ?? character;
  const by = 1 + (random % (kind.length - 1));
  return kind[(kind.indexOf(character) + by) % kind.length] ?? character;
}
