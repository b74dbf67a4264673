import { Secret } from "../../kernel/index.ts";
import { listLogins } from "./internal-rows.ts";
import type { Calls, Methods } from "../methods.ts";
import type { NewKey, VaultDoor } from "./vault-door.ts";

const FILE_WARNING =
  "The vault's key is a file beside it: who can read your files can open the vault. A keyring or passphrase is safer.";

/** Making the vault's key, changing it, and giving the engine the passphrase it cannot know. */
export function createKeyCalls(door: VaultDoor): Calls<"setup" | "vault.rekey" | "vault.unlock"> {
  return {
    setup: (input) => setUp(door, input),
    "vault.rekey": async (input) => {
      using key = newKey(input.key, input);
      const left = await door.rekey(key);
      return { key: input.key, warnings: [...warningsFor(input.key), ...left] };
    },
    "vault.unlock": async (input) => {
      using passphrase = Secret.fromText(input.passphrase);
      return { rows: listLogins(await door.unlock(passphrase)).length };
    },
  };
}

/** Makes the vault with the key asked for, else the keyring where it works, else a key file with its warning. */
async function setUp(door: VaultDoor, input: Methods["setup"]["in"]): Promise<Methods["setup"]["out"]> {
  const header = door.header();
  if (header !== undefined) {
    await door.get(); // says so if it cannot be opened
    return {
      created: false,
      key: header.provider,
      warnings: warningsFor(header.provider),
    };
  }
  const kind = input.key ?? ((await door.keyring.probe()).kind === "works" ? "keyring" : "file");
  using key = newKey(kind, input);
  await door.create(key);
  return { created: true, key: kind, warnings: warningsFor(kind) };
}

function newKey(
  kind: NewKey["kind"],
  input: { passphrase?: string; key_file?: string },
): NewKey & Disposable {
  const passphrase = input.passphrase === undefined ? undefined : Secret.fromText(input.passphrase);
  return {
    kind,
    passphrase,
    keyFile: input.key_file,
    [Symbol.dispose]: () => passphrase?.[Symbol.dispose](),
  };
}

function warningsFor(kind: NewKey["kind"]): string[] {
  return kind === "file" ? [FILE_WARNING] : [];
}
