const LONGEST = 128;

/** In a grant `owner` is the person and `*` whoever asks. */
const RESERVED: readonly string[] = ["owner", "*", ""];

export function isReservedName(name: string): boolean {
  return RESERVED.includes(name);
}

/**
 * Whether an agent may be called so. A name is taken as it stands, since one that were tidied up could become another's;
 * and a person reads names, not bytes, so that no spelling of a reserved one is free.
 */
export function isAgentName(name: string): boolean {
  if (name.length > LONGEST || name !== name.trim() || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name))
    return false;
  return !isReservedName(name.normalize("NFKC").trim().toLowerCase());
}
