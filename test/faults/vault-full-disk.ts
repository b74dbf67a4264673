/** In a folder with almost no room: fills it, tries to write, reads, makes room again. Prints what it found. */
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DeputyError, Secret } from "../../src/kernel/index.ts";
import { writeFileAtomic } from "../../src/platform/index.ts";
import { fileKey } from "../../src/vault/keys/file-key.ts";
import { Vault } from "../../src/vault/vault.ts";
import { key, META, read, testKek } from "../support/test-vault.ts";

const [prepared, folder] = process.argv.slice(2);
const path = join(folder!, "vault.db");
const filler = join(folder!, "filler");

const open = () => Vault.open({ path, kek: testKek(), clock: { now: () => Date.now() } });
const say = (name: string, outcome: unknown) => console.log(`${name}: ${String(outcome)}`);

async function attempt(name: string, work: () => unknown): Promise<void> {
  try {
    say(name, (await work()) ?? "done");
  } catch (error) {
    say(name, error instanceof DeputyError ? error.code : error);
  }
}

function fill(): void {
  for (let size = 1 << 20; size >= 1; size >>= 1) {
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: "a" });
    } catch {} // full: on with a smaller piece
  }
}

function putLarge(vault: Vault): string {
  using value = Secret.fromText(`new${"n".repeat(200_000)}`);
  return vault.put(key(), value, META).kind;
}

copyFileSync(prepared!, path);
{
  using vault = open();
  fill();
  await attempt("put while full", () => putLarge(vault));
  await attempt("read after that", () => read(vault, key()));
  await attempt("key file while full", () => fileKey(join(folder!, "new.key")).create(Buffer.alloc(16)));
  await attempt("file while full", () => writeFileAtomic(join(folder!, "some.file"), "x".repeat(10_000)));
}
fill();
await attempt("open while full", () => open()[Symbol.dispose]());
rmSync(filler);
{
  using vault = open();
  say("read with room again", read(vault, key()));
  say("verify", vault.verify().problem?.code ?? "clean");
  say("put with room again", putLarge(vault));
}
