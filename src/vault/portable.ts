import { DeputyError, type RowKey, Secret } from "../kernel/index.ts";
import type { RowMeta } from "./sealed-row.ts";
import type { Vault } from "./vault.ts";

/** One row in an export. */
interface PortableRow {
  readonly key: RowKey;
  readonly meta: RowMeta;
  /** base64 */
  readonly value: string;
}

const KIND = "deputy-vault-export";

/**
 * All rows as one file sealed by a passphrase, in the age format (age-encryption.org/v1): the data is the
 * owner's, and the age command opens it without us.
 */
export async function sealExport(vault: Vault, passphrase: Secret): Promise<Uint8Array> {
  const rows: PortableRow[] = [];
  for (const { key } of vault.list()) {
    const row = vault.find(key);
    if (row === undefined) continue;
    rows.push({ key, meta: row.meta, value: row.value.bytes().toString("base64") });
    row.value[Symbol.dispose]();
  }
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase.reveal());
  return encrypter.encrypt(JSON.stringify({ kind: KIND, version: 1, rows }));
}

interface Imported {
  readonly imported: number;
  /** Rows of which the vault has one that is as new or newer. */
  readonly kept: number;
}

/** Adds an export's rows. A row that is newer here stays. */
export async function openExport(vault: Vault, sealed: Uint8Array, passphrase: Secret): Promise<Imported> {
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase.reveal());
  let text: string;
  try {
    text = await decrypter.decrypt(sealed, "text");
  } catch (cause) {
    throw new DeputyError(
      "WRONG_KEY",
      "Cannot open the export: the passphrase is wrong or the file is damaged",
      {
        hint: "Nothing was changed. Try the passphrase again.",
        cause,
      },
    );
  }
  let imported = 0;
  const rows = parseExport(text);
  for (const { key, meta, value } of rows) {
    const here = vault.find(key);
    here?.value[Symbol.dispose]();
    if (here !== undefined && here.meta.updatedAt >= meta.updatedAt) continue;
    using secret = Secret.fromBytes(Buffer.from(value, "base64"));
    vault.put(key, secret, meta);
    imported += 1;
  }
  return { imported, kept: rows.length - imported };
}

function parseExport(text: string): PortableRow[] {
  const content = JSON.parse(text) as { kind?: unknown; version?: unknown; rows?: unknown };
  if (content.kind !== KIND || !Array.isArray(content.rows)) {
    throw new DeputyError("BAD_INPUT", "Cannot import: the file holds something else than a vault", {
      hint: "Give a file made by deputy vault export.",
    });
  }
  if (content.version !== 1) {
    throw new DeputyError("VAULT_NEWER", "Cannot import: the export was made by a newer Deputy", {
      hint: "Update this Deputy first.",
    });
  }
  return content.rows as PortableRow[];
}
