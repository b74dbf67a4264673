/** Shorter values show nothing: four characters would be too large a part of them. */
const SHOWN = 4;
const LONG_ENOUGH = 20;

/** What the owner may see of a value in a listing. */
export function maskValue(value: string): string {
  return value.length >= LONG_ENOUGH ? `…${value.slice(-SHOWN)}` : "…";
}
