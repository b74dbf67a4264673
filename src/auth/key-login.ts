import { z } from "zod";
import { DeputyError, type Identity, type Secret } from "../kernel/index.ts";
import type { Vault } from "../vault/index.ts";

/** What a row of type `api_key` holds: `key`, and whatever else the service gave with it. */
export type KeyValues = Readonly<Record<string, unknown>>;

const stored = z.looseObject({ key: z.string().min(1) });

export function findKey(
  vault: Vault,
  identity: Identity,
): { readonly values: KeyValues; readonly version: number } | undefined {
  const row = vault.find({ ...identity, itemType: "api_key" });
  if (row === undefined) return undefined;
  using value = row.value;
  return { values: readKey(value), version: row.version };
}

function readKey(value: Secret): KeyValues {
  try {
    return stored.parse(JSON.parse(value.reveal()));
  } catch (cause) {
    throw new DeputyError("VAULT_DAMAGED", "A row of type api_key holds something else", {
      hint: "Remove it and log in again: deputy vault list shows which.",
      cause,
    });
  }
}
