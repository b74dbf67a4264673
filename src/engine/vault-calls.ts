import { existsSync, readFileSync, statSync } from "node:fs";
import { type Clock, DeputyError, Secret } from "../kernel/index.ts";
import { writeFileAtomic } from "../platform/index.ts";
import { foldDomain, openExport, rowKey, type RowSummary, sealExport } from "../vault/index.ts";
import { parseLoginValue } from "./login-value.ts";
import type { Calls, Methods, VaultRow, VaultStatus } from "./methods.ts";
import type { VaultDoor } from "./vault-door.ts";

type VaultMethod = Exclude<Extract<keyof Methods, `vault.${string}`>, "vault.rekey" | "vault.unlock">;

const LARGEST_IMPORT = 256 * 1024 * 1024;
const SHORTEST_PASSPHRASE = 8;

/** What the vault commands do, apart from how they are asked for and shown. */
export function createVaultCalls(door: VaultDoor, clock: Clock): Calls<VaultMethod> {
  return {
    "vault.list": async () => {
      return (await door.get()).list().map(asListed);
    },

    "vault.set": async (input) => {
      const key = rowKey(input.domain, input.account, input.type);
      const login = parseLoginValue(key.itemType, key.domain, input.value, clock.now());
      using value = login.value;
      const vault = await door.get();
      const before = vault.find(key);
      before?.value[Symbol.dispose]();
      const label = input.label ?? before?.meta.label ?? null;
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
      const key = rowKey(input.domain, input.account, input.type ?? "any");
      const removed =
        input.type === undefined
          ? vault.removeIdentity(key.domain, key.identifier)
          : Number(vault.remove(key));
      if (removed === 0) throw missing(key.domain, key.identifier);
      return { removed };
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
      const total = vault.list().length;
      const done = await vault.rotate({
        signal: context.signal,
        onProgress: (count) =>
          context.progress({ message: "Sealing rows with the new key", done: count, total }),
      });
      return { resealed: done.resealed, unreadable: done.unreadable.length };
    },

    "vault.verify": async (input) => {
      const vault = await door.get();
      if (input.accept === true) vault.accept();
      const { rows, bad, problem } = vault.verify();
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

    "vault.export": async (input) => {
      const vault = await door.get();
      if (existsSync(input.path) && input.overwrite !== true) {
        throw new DeputyError("CONFLICT", `Cannot export: ${input.path} is there already`, {
          hint: "Give another name, or --force to replace it.",
        });
      }
      using passphrase = strongEnough(input.passphrase);
      const sealed = await sealExport(vault, passphrase);
      writeFileAtomic(input.path, sealed);
      return { path: input.path, rows: vault.list().length };
    },

    "vault.import": async (input) => {
      const vault = await door.get();
      if (!existsSync(input.path)) {
        throw new DeputyError("NOT_FOUND", `Cannot import: there is no file ${input.path}`);
      }
      if (statSync(input.path).size > LARGEST_IMPORT) {
        throw new DeputyError("TOO_LARGE", "Cannot import: the file is too large to be an export");
      }
      using passphrase = Secret.fromText(input.passphrase);
      return await openExport(vault, readFileSync(input.path), passphrase);
    },
  };
}

export async function vaultStatus(door: VaultDoor): Promise<VaultStatus> {
  const header = door.header();
  const base = { key: header?.provider ?? null, rollback_detection: door.rollbackDetection, rows: null };
  if (header === undefined) return { ...base, state: "none" };
  try {
    const rows = (await door.get()).list().length;
    return { ...base, state: "open", rows, rollback_detection: door.rollbackDetection };
  } catch (error) {
    if (!(error instanceof DeputyError)) throw error;
    const state =
      error.code === "VAULT_LOCKED" || error.code === "KEYRING_UNAVAILABLE" ? "locked" : "problem";
    return { ...base, state, problem: error.toJSON() };
  }
}

function strongEnough(text: string): Secret {
  if (text.length >= SHORTEST_PASSPHRASE) return Secret.fromText(text);
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
