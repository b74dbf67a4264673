/** In a folder that cannot be written: what a vault says to that. */
import { join } from "node:path";
import { DeputyError } from "../../src/kernel/index.ts";
import { findHeader } from "../../src/vault/header.ts";
import { fileKey } from "../../src/vault/keys/file-key.ts";
import { Vault } from "../../src/vault/vault.ts";
import { testKek } from "../support/test-vault.ts";

const [folder] = process.argv.slice(2);
const path = join(folder!, "vault.db");

async function attempt(name: string, work: () => unknown): Promise<void> {
  try {
    await work();
    console.log(`${name}: done`);
  } catch (error) {
    console.log(`${name}: ${error instanceof DeputyError ? error.code : String(error)}`);
  }
}

await attempt("header", () => findHeader(path));
await attempt("open", () => Vault.open({ path, kek: testKek(), clock: { now: () => Date.now() } }));
const header = { provider: "file" as const, params: {} };
await attempt("create", () => Vault.create(join(folder!, "new.db"), header, testKek()));
await attempt("key file", () => fileKey(join(folder!, "new.key")).create(Buffer.alloc(16)));
