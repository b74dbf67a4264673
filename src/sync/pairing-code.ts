import { randomInt, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { DeputyError } from "../kernel/index.ts";

const derive = promisify<string, string, number, { N: number }, Buffer>(scrypt);

/** Eight digits: with at most five guesses a pairing, one chance in twenty million. */
export function createCode(): string {
  const digits = String(randomInt(100_000_000)).padStart(8, "0");
  return `${digits.slice(0, 4)}-${digits.slice(4)}`;
}

/** The code as SPAKE2 takes it. Throws BAD_INPUT for what cannot be one, before anybody is asked. */
export async function codeScalar(typed: string): Promise<bigint> {
  const digits = typed.replace(/[\s-]/g, "");
  if (!/^\d{8}$/.test(digits)) {
    throw new DeputyError("BAD_INPUT", "That is not a pairing code", {
      hint: "It is eight digits, shown by deputy pair on the other machine.",
    });
  }
  const { toScalar } = await import("./spake2.ts"); // loaded by who pairs: it is slow to, and pairing is rare
  return toScalar(await derive(digits, "deputy pair v1", 48, { N: 2 ** 14 }));
}
