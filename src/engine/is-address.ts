/** A running browser is named by where it listens. */
export function isAddress(asked: string): boolean {
  return /^(https?|wss?):\/\//.test(asked);
}
