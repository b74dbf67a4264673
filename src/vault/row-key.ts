import { DeputyError, type RowKey } from "../kernel/index.ts";
import { foldDomain } from "./domain.ts";

const LONGEST_IDENTIFIER = 512;

/** A key as rows are stored under: the domain folded, the rest checked. */
export function rowKey(domain: string, identifier: string, itemType: string): RowKey {
  const account = identifier.trim().normalize("NFC");
  // Cc: control characters; Cs: half a character, which no encoding can hold.
  if (account === "" || account.length > LONGEST_IDENTIFIER || /[\p{Cc}\p{Cs}]/u.test(account)) {
    throw new DeputyError("BAD_INPUT", "Cannot use that as an account name", {
      hint: "Give the e-mail address, user name or number the service knows you by.",
    });
  }
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(itemType)) {
    throw new DeputyError("BAD_INPUT", "Cannot use that as an item type", {
      hint: "Common types are cookies, api_key, oauth and password.",
    });
  }
  return { domain: foldDomain(domain), identifier: account, itemType };
}
