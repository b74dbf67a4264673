import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { existsSync } from "node:fs";
import { DeputyError, isRecord, Secret } from "../kernel/index.ts";
import { Database, type SqlRow } from "../platform/index.ts";
import { encodeFields, FORMAT } from "./binding.ts";
import { isSchema } from "./schema.ts";

export type ProviderKind = "keyring" | "passphrase" | "file";

/** What must be known before the key is: which vault this is and who has its key. Authenticated, not secret. */
export interface Header {
  readonly vaultId: Buffer;
  readonly provider: ProviderKind;
  /** The provider's own business: salt and cost of a passphrase, the path of a key file. */
  readonly params: Readonly<Record<string, string | number>>;
}

/** Undefined when there is no vault at `path`. Nothing here is proven yet: `checkHeader` does that, with the key. */
export function findHeader(path: string): Header | undefined {
  if (!existsSync(path)) return undefined;
  using db = new Database({ path, readOnly: true }); // a vault of a newer Deputy is not touched
  return readHeader(db)?.header;
}

export function readHeader(db: Database): { header: Header; mac: Uint8Array } | undefined {
  const schema = db.all("SELECT type, name, sql FROM sqlite_schema");
  // A file without any table is a vault whose creation was cut short: nothing was ever in it.
  if (schema.length === 0) return undefined;
  const isThere = schema.some(({ type, name }) => type === "table" && name === "header");
  const row = isThere ? db.get("SELECT * FROM header") : undefined;
  if (row === undefined) throw damaged("its header is missing");
  const parsed = parseHeader(row); // first: the tables of a newer format may well be others
  if (!isSchema(schema.map(({ sql }) => sql))) throw damaged("its tables are not those Deputy makes");
  return parsed;
}

function parseHeader(row: SqlRow): { header: Header; mac: Uint8Array } {
  const { format, vault_id: vaultId, provider, params, mac } = row;
  if (typeof format !== "number" || format < 1) throw damaged("its header has no version");
  if (format > FORMAT) {
    throw new DeputyError(
      "VAULT_NEWER",
      `Cannot open the vault: format ${format}, this Deputy knows ${FORMAT}`,
      {
        hint: "It was written by a newer Deputy. Update this one; the file was not changed.",
      },
    );
  }
  if (provider !== "keyring" && provider !== "passphrase" && provider !== "file") {
    throw damaged("its header names an unknown kind of key");
  }
  if (!(vaultId instanceof Uint8Array) || !(mac instanceof Uint8Array))
    throw damaged("its header is incomplete");
  return { header: { vaultId: Buffer.from(vaultId), provider, params: parseParams(params) }, mac };
}

function parseParams(text: unknown): Header["params"] {
  try {
    const parsed: unknown = JSON.parse(String(text));
    // Exactly as we write it, since the MAC is of that text: no second spelling of the same params.
    if (isRecord(parsed) && JSON.stringify(parsed) === text) return parsed as Header["params"];
  } catch {}
  throw damaged("its header cannot be read");
}

export function writeHeader(db: Database, header: Header, kek: Secret): void {
  db.run(
    "INSERT OR REPLACE INTO header (id, format, vault_id, provider, params, mac) VALUES (1, ?, ?, ?, ?, ?)",
    FORMAT,
    header.vaultId,
    header.provider,
    JSON.stringify(header.params),
    headerMac(header, kek),
  );
}

/** Throws WRONG_KEY unless `kek` is the key this header was written under, and every field is as it was then. */
export function checkHeader(header: Header, mac: Uint8Array, kek: Secret): void {
  const right = headerMac(header, kek);
  if (mac.length === right.length && timingSafeEqual(mac, right)) return;
  throw new DeputyError("WRONG_KEY", `Cannot open the vault: its ${keyName(header.provider)} does not fit`, {
    hint:
      header.provider === "passphrase"
        ? "Try the passphrase again. If it is right, the header was damaged: put back a backup."
        : "The vault and its key belong to different set-ups. Put the matching one back, or import an export.",
  });
}

function headerMac(header: Header, kek: Secret): Buffer {
  using key = deriveKey(kek, header.vaultId, "header");
  return createHmac("sha256", key.bytes())
    .update(
      encodeFields("deputy-header", FORMAT, header.vaultId, header.provider, JSON.stringify(header.params)),
    )
    .digest();
}

/** Keys for single purposes under the key-encrypting key, so that no key serves two. */
export function deriveKey(
  kek: Secret,
  vaultId: Uint8Array,
  purpose: "header" | "ring" | "state" | "tally",
): Secret {
  return Secret.fromBytes(
    Buffer.from(hkdfSync("sha256", kek.bytes(), vaultId, `deputy/vault/1/${purpose}`, 32)),
  );
}

function keyName(provider: ProviderKind): string {
  return { keyring: "key in the keyring", passphrase: "passphrase", file: "key file" }[provider];
}

export function damaged(why: string): DeputyError {
  return new DeputyError("VAULT_DAMAGED", `Cannot open the vault: ${why}`, {
    hint: "Put back a backup of vault.db. Without one: deputy engine stop, move it away, deputy setup, and import an export.",
  });
}
