import { z } from "zod";
import { DeputyError, type RowKey, Secret } from "../kernel/index.ts";
import { passphraseIdentity, passphraseRecipient } from "./age-passphrase.ts";
import { rowKey } from "./row-key.ts";
import type { Vault } from "./vault.ts";

const KIND = "deputy-vault-export";

const Envelope = z.object({ kind: z.literal(KIND), version: z.int(), rows: z.array(z.unknown()) });

const PortableRow = z.object({
  key: z.object({ domain: z.string(), identifier: z.string(), itemType: z.string() }),
  meta: z.object({
    label: z.string().nullable(),
    source: z.string(),
    obtainedAt: z.number(),
    updatedAt: z.number(),
    lastVerified: z.number().nullable(),
    masked: z.string(),
  }),
  value: z.base64(),
});
type PortableRow = z.infer<typeof PortableRow>;

/**
 * All rows that are wanted as one file sealed by a passphrase, in the age format (age-encryption.org/v1): the data is the
 * owner's, and the age command opens it without us.
 */
export async function sealExport(
  vault: Vault,
  passphrase: Secret,
  isWanted: (key: RowKey) => boolean = () => true,
): Promise<Exported> {
  const rows: PortableRow[] = [];
  const unreadable: RowKey[] = [];
  for (const { key, meta } of vault.list()) {
    if (!isWanted(key)) continue;
    if (typeof meta === "string") {
      unreadable.push(key); // one bad row must not keep the others from being saved
      continue;
    }
    const row = vault.find(key);
    if (row === undefined) continue;
    rows.push({ key, meta: row.meta, value: row.value.bytes().toString("base64") });
    row.value[Symbol.dispose]();
  }
  const { Encrypter, Stanza } = await import("age-encryption");
  const encrypter = new Encrypter();
  encrypter.addRecipient(passphraseRecipient(passphrase, (args, body) => new Stanza(args, body)));
  const sealed = await encrypter.encrypt(JSON.stringify({ kind: KIND, version: 1, rows }));
  return { sealed, rows: rows.length, unreadable };
}

interface Exported {
  readonly sealed: Uint8Array;
  readonly rows: number;
  readonly unreadable: readonly RowKey[];
}

interface Imported {
  readonly imported: number;
  /** Rows of which the vault has one that is as new or newer. */
  readonly kept: number;
  /** Rows whose value is not what their type says. */
  readonly refused: readonly RowKey[];
}

/** Adds an export's rows. A row that is newer here stays; one that `isSound` does not know is left out. */
export async function openExport(
  vault: Vault,
  sealed: Uint8Array,
  passphrase: Secret,
  isSound: (key: RowKey, value: Secret) => boolean = () => true,
): Promise<Imported> {
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  decrypter.addIdentity(passphraseIdentity(passphrase));
  let text: string;
  try {
    text = await decrypter.decrypt(sealed, "text");
  } catch (cause) {
    if (cause instanceof DeputyError) throw cause;
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
  const refused: RowKey[] = [];
  const rows = parseExport(text);
  for (const { key, meta, value } of rows) {
    using secret = Secret.fromBytes(Buffer.from(value, "base64"));
    if (!isSound(key, secret)) refused.push(key);
    else if (importRow(vault, key, meta, secret)) imported += 1;
  }
  return { imported, kept: rows.length - imported - refused.length, refused };
}

function importRow(vault: Vault, key: RowKey, meta: PortableRow["meta"], value: Secret): boolean {
  const here = findReadable(vault, key);
  if (here !== undefined && here !== "damaged" && here.updatedAt >= meta.updatedAt) return false;
  // A damaged row is replaced whatever its version; any other only if nobody has written it meanwhile.
  const expect = here === "damaged" ? undefined : (here?.version ?? 0);
  return vault.put(key, value, meta, expect).kind === "stored";
}

function findReadable(vault: Vault, key: RowKey) {
  try {
    const row = vault.find(key);
    if (row === undefined) return undefined;
    row.value[Symbol.dispose]();
    return { version: row.version, updatedAt: row.meta.updatedAt };
  } catch (error) {
    if (error instanceof DeputyError && error.code === "VAULT_DAMAGED") return "damaged";
    throw error;
  }
}

function parseExport(text: string): PortableRow[] {
  const content = Envelope.safeParse(asJson(text));
  if (!content.success) {
    throw new DeputyError("BAD_INPUT", "Cannot import: the file holds something else than a vault", {
      hint: "Give a file made by deputy vault export.",
    });
  }
  if (content.data.version !== 1) {
    throw new DeputyError("VAULT_NEWER", "Cannot import: the export was made by a newer Deputy", {
      hint: "Update this Deputy first.",
    });
  }
  const rows = z.array(PortableRow).safeParse(content.data.rows);
  if (!rows.success) {
    throw new DeputyError("BAD_INPUT", "Cannot import: a row of the export is not complete", {
      hint: "Nothing was changed. Make the export again.",
    });
  }
  // Checked but taken as it is: folded anew, it might become another where the list of suffixes has changed.
  for (const { key } of rows.data) rowKey(key.domain, key.identifier, key.itemType);
  return rows.data;
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
