import { DeputyError, type RowKey, visibleName } from "../kernel/index.ts";
import { foldDomain } from "./domain.ts";

const LONGEST_IDENTIFIER = 512;

/** A key as rows are stored under: the domain folded, the rest checked. */
export function rowKey(domain: string, identifier: string, itemType: string): RowKey {
  const account = identifier.trim().normalize("NFC");
  // One that is not what it looks like would be taken for another: see visibleName.
  if (account === "" || account.length > LONGEST_IDENTIFIER || visibleName(account) !== account) {
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
