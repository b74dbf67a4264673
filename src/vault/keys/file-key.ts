import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { DeputyError, Secret } from "../../kernel/index.ts";
import { writeFileAtomic } from "../../platform/index.ts";
import { damaged } from "../header.ts";
import type { KeyProvider } from "./key-provider.ts";

const KEY_BYTES = 32;

/**
 * The key lies in a file beside the vault, for machines without a keyring. It keeps the vault's copies safe (a
 * backup without the key opens nothing) but not from who can read the user's files: doctor and status say so.
 */
export function fileKey(path: string): KeyProvider {
  return {
    kind: "file",
    async create() {
      if (existsSync(path)) {
        throw new DeputyError("CONFLICT", `There is a key file at ${path} already`, {
          hint: "It may belong to another vault. Move it away first; Deputy never overwrites a key.",
        });
      }
      const kek = randomBytes(KEY_BYTES);
      writeFileAtomic(path, `${kek.toString("base64")}\n`);
      return { kek: Secret.fromBytes(kek), params: { path } };
    },
    async open(header) {
      const recorded = header.params["path"];
      if (typeof recorded !== "string") throw damaged("its header names no key file");
      // A home that was moved keeps its key beside the vault; the recorded path is then an old one.
      return readKey(existsSync(recorded) ? recorded : path);
    },
    async forget(header) {
      rmSync(String(header.params["path"] ?? path), { force: true });
    },
  };
}

function readKey(path: string): Secret {
  if (!existsSync(path)) {
    throw new DeputyError("VAULT_LOCKED", `The vault's key file is missing: ${path}`, {
      hint: "Put it back from where you keep it. Without it the vault cannot be opened.",
    });
  }
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
    throw new DeputyError("KEY_FILE_EXPOSED", `Others can read the vault's key file ${path}`, {
      hint: `Make it yours alone: chmod 600 ${path}`,
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
