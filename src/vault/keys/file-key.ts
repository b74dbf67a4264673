import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { DeputyError, Secret, shellWord } from "../../kernel/index.ts";
import { createFile } from "../../platform/index.ts";
import { damaged, type Header } from "../header.ts";
import type { KeyProvider } from "./key-provider.ts";

const KEY_BYTES = 32;

/**
 * The key lies in a file, for machines without a keyring. It keeps the vault's copies safe (a backup without the
 * key opens nothing) but not from who can read the user's files: doctor and status say so.
 *
 * `beside` is its place in the Deputy home. That place is not recorded in the header, so that a home can be moved
 * and copied with its key; another place, which the owner named, is.
 */
export function fileKey(beside: string, elsewhere?: string): KeyProvider {
  return {
    kind: "file",
    async create() {
      const path = elsewhere ?? beside;
      const params = elsewhere === undefined ? {} : { path: elsewhere };
      // A key without a vault: the vault was moved away. Keys for a vault are derived with its id, so it serves again.
      if (elsewhere === undefined && existsSync(path))
        return { kek: readKey(path), params, undo: async () => {} };
      const kek = randomBytes(KEY_BYTES);
      createKeyFile(path, `${kek.toString("base64")}\n`);
      return { kek: Secret.fromBytes(kek), params, undo: async () => rmSync(path, { force: true }) };
    },
    async open(header) {
      return readKey(recordedPath(header) ?? beside);
    },
    async retire(header) {
      const path = recordedPath(header);
      if (path !== undefined) return `The old key file is still there: ${path}`;
      rmSync(beside, { force: true });
      return undefined;
    },
  };
}

function recordedPath(header: Header): string | undefined {
  const { path } = header.params;
  if (path === undefined || typeof path === "string") return path;
  throw damaged("its header names no key file");
}

/** Never over a file that is there: it may be another vault's key. */
function createKeyFile(path: string, text: string): void {
  if (createFile(path, text)) return;
  throw new DeputyError("CONFLICT", `There is a file at ${path} already`, {
    hint: "It may be another vault's key. Name another place; Deputy never overwrites a key.",
  });
}

function readKey(path: string): Secret {
  if (!existsSync(path)) {
    throw new DeputyError("VAULT_LOCKED", `The vault's key file is missing: ${path}`, {
      hint: "Put it back from where you keep it. Without it the vault cannot be opened.",
    });
  }
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
    throw new DeputyError("KEY_FILE_EXPOSED", `Others can read the vault's key file ${path}`, {
      hint: `Make it yours alone: chmod 600 ${shellWord(path)}`,
    });
  }
  const bytes = Buffer.from(readText(path).trim(), "base64");
  if (bytes.length !== KEY_BYTES) throw damaged(`its key file ${path} is not a key`);
  return Secret.fromBytes(bytes);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new DeputyError("VAULT_LOCKED", `The vault's key file cannot be read: ${path}`, {
      hint: "Check that it is a file and belongs to you.",
      cause,
    });
  }
}
