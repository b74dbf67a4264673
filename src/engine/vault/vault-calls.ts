import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from "node:fs";
import { type Clock, DeputyError, type RowKey, Secret, visibleName } from "../../kernel/index.ts";
import { fileError, writeFileAtomic } from "../../platform/index.ts";
import {
  foldDomain,
  openExport,
  rowKey,
  type RowMeta,
  type RowSummary,
  sealExport,
  type Vault,
} from "../../vault/index.ts";
import { isInternal, listLogins } from "./internal-rows.ts";
import { parseLoginValue } from "./login-value.ts";
import type { Calls, Methods, VaultRow, VaultStatus } from "../methods.ts";
import type { VaultDoor } from "./vault-door.ts";

type VaultMethod = Exclude<Extract<keyof Methods, `vault.${string}`>, "vault.rekey" | "vault.unlock">;

const LARGEST_IMPORT = 256 * 1024 * 1024;
const SHORTEST_PASSPHRASE = 8;

/** What the vault commands do, apart from how they are asked for and shown. */
export function createVaultCalls(door: VaultDoor, clock: Clock): Calls<VaultMethod> {
  return {
    "vault.list": async () => {
      return listLogins(await door.get()).map(asListed);
    },

    "vault.set": async (input) => {
      const key = rowKey(input.domain, input.account, input.type);
      const login = parseLoginValue(key.itemType, key.domain, input.value, clock.now());
      using value = login.value;
      const vault = await door.get();
      const before = findMeta(vault, key);
      const label = input.label ?? (before === "damaged" ? null : before?.label) ?? null;
      vault.put(key, value, { source: "cli", masked: login.masked, label });
      return {
        domain: key.domain,
        identifier: key.identifier,
        item_type: key.itemType,
        masked: login.masked,
        replaced: before !== undefined,
      };
    },

    "vault.remove": async (input) => {
      const vault = await door.get();
      const keys = rowsAsNamed(vault, input);
      if (keys.length === 0) {
        // Nothing is called that as it stands: it may be another spelling of one, and is refused where it cannot be.
        const key = rowKey(input.domain, input.account, input.type ?? "any");
        keys.push(...rowsAsNamed(vault, { ...input, domain: key.domain, account: key.identifier }));
        if (keys.length === 0) throw missing(key.domain, key.identifier);
      }
      return { removed: keys.filter((key) => vault.remove(key)).length };
    },

    "vault.rename": async (input) => {
      const from = rowKey(input.domain, input.account, "any");
      const to = rowKey(input.domain, input.to, "any");
      const renamed = (await door.get()).renameAccount(from.domain, from.identifier, to.identifier);
      if (renamed === 0) throw missing(from.domain, from.identifier);
      return { renamed };
    },

    "vault.rotate": async (_input, context) => {
      const vault = await door.get();
      const total = listLogins(vault).length;
      const done = await vault.rotate({
        counts: (key) => !isInternal(key),
        signal: context.signal,
        onProgress: (count) =>
          context.progress({ message: "Sealing rows with the new key", done: count, total }),
      });
      return { resealed: done.resealed, unreadable: done.unreadable.length, swept: done.swept };
    },

    "vault.verify": async (input) => {
      const vault = await door.get();
      if (input.accept === true) vault.accept();
      if (input.remove_damaged === true) vault.removeDamaged();
      const { rows, bad, problem } = vault.verify((key) => !isInternal(key));
      return {
        rows,
        bad: bad.map(({ key, code }) => ({
          domain: key.domain,
          identifier: key.identifier,
          item_type: key.itemType,
          code,
        })),
        ...(problem === undefined ? {} : { problem: problem.toJSON() }),
      };
    },

    "vault.export": async (input, context) => {
      const vault = await door.get();
      if (existsSync(input.path) && input.overwrite !== true) {
        throw new DeputyError("CONFLICT", `Cannot export: ${input.path} is there already`, {
          hint: "Give another name, or --force to replace it.",
        });
      }
      using passphrase = strongEnough(input.passphrase);
      const { sealed, rows, unreadable } = await sealExport(vault, passphrase, (key) => !isInternal(key));
      if (context.signal.aborted) throw new DeputyError("CANCELLED", "Nothing was exported");
      writeFileAtomic(input.path, sealed);
      return { path: input.path, rows, unreadable: unreadable.length };
    },

    "vault.import": async (input) => {
      const vault = await door.get();
      using passphrase = Secret.fromText(input.passphrase);
      const sealed = readRegularFile(input.path);
      const done = await openExport(vault, sealed, passphrase, (key, value) =>
        isSound(key, value, clock.now()),
      );
      return { imported: done.imported, kept: done.kept, refused: done.refused.length };
    },
  };
}

export async function vaultStatus(door: VaultDoor): Promise<VaultStatus> {
  let key: VaultStatus["key"] = null;
  try {
    const header = door.header();
    if (header === undefined) return { state: "none", key, rows: null, rollback_detection: false };
    key = header.provider;
    const rows = listLogins(await door.get()).length;
    return { state: "open", key, rows, rollback_detection: door.rollbackDetection };
  } catch (error) {
    if (!(error instanceof DeputyError)) throw error;
    const state =
      error.code === "VAULT_LOCKED" || error.code === "KEYRING_UNAVAILABLE" ? "locked" : "problem";
    return { state, key, rows: null, rollback_detection: door.rollbackDetection, problem: error.toJSON() };
  }
}

/** The rows `vault list` shows under these very words, damaged ones and ones no command could have made included. */
function rowsAsNamed(vault: Vault, { domain, account, type }: Methods["vault.remove"]["in"]): RowKey[] {
  const keys = listLogins(vault).map(({ key }) => key);
  const at = keys.filter(
    (key) => visibleName(key.domain) === domain && (type === undefined || visibleName(key.itemType) === type),
  );
  const exact = at.filter(({ identifier }) => identifier === account);
  return exact.length > 0 ? exact : at.filter(({ identifier }) => visibleName(identifier) === account);
}

/** What is known about a row, or that it cannot be opened. */
function findMeta(vault: Vault, key: RowKey): RowMeta | "damaged" | undefined {
  try {
    const row = vault.find(key);
    row?.value[Symbol.dispose]();
    return row?.meta;
  } catch (error) {
    if (error instanceof DeputyError && error.code === "VAULT_DAMAGED") return "damaged";
    throw error;
  }
}

/** Whether an imported value is what its type says: a file may have been made by hand. */
function isSound(key: RowKey, value: Secret, now: number): boolean {
  try {
    parseLoginValue(key.itemType, key.domain, JSON.parse(value.reveal()), now).value[Symbol.dispose]();
    return true;
  } catch (error) {
    if (error instanceof DeputyError || error instanceof SyntaxError) return false;
    throw error;
  }
}

/** A pipe or a device would hold up the engine for as long as it likes. */
function readRegularFile(path: string): Buffer {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw fileError(error, path);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile())
      throw new DeputyError("BAD_INPUT", `Cannot import: ${path} is not a file`, { hint: "Name an export." });
    if (stat.size > LARGEST_IMPORT) {
      throw new DeputyError("TOO_LARGE", "Cannot import: the file is too large to be an export", {
        hint: "Name a file that deputy vault export made.",
      });
    }
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function strongEnough(text: string): Secret {
  if (Array.from(text).length >= SHORTEST_PASSPHRASE) return Secret.fromText(text);
  throw new DeputyError(
    "BAD_INPUT",
    `The passphrase is too short: at least ${SHORTEST_PASSPHRASE} characters`,
    {
      hint: "Several words are easy to remember and hard to guess.",
    },
  );
}

function missing(domain: string, account: string): DeputyError {
  return new DeputyError("NOT_FOUND", `There is nothing of ${account} at ${foldDomain(domain)}`, {
    hint: "See what there is: deputy vault list",
  });
}

function asListed({ key, meta }: RowSummary): VaultRow {
  const base = { domain: key.domain, identifier: key.identifier, item_type: key.itemType };
  if (typeof meta === "string") {
    const unknown = {
      label: null,
      source: "",
      obtained_at: null,
      updated_at: null,
      last_verified: null,
      masked: "",
    };
    return { ...base, ...unknown, problem: meta };
  }
  return {
    ...base,
    label: meta.label,
    source: meta.source,
    obtained_at: isoTime(meta.obtainedAt),
    updated_at: isoTime(meta.updatedAt),
    last_verified: meta.lastVerified === null ? null : isoTime(meta.lastVerified),
    masked: meta.masked,
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
