/**
 * With the keyring of the environment: makes a vault whose key is in it, or does what its argument says. The library
 * behind it reads the bus from the process's own environment, so this is a process of its own.
 */
import { existsSync, readFileSync } from "node:fs";
import { DeputyError, Secret } from "../../src/kernel/index.ts";
import { createKeyring } from "../../src/platform/index.ts";
import { createEpochMark, findHeader, keyringKey, Vault } from "../../src/vault/index.ts";
import { key, META, read } from "../support/test-vault.ts";

const [path, service, ...steps] = process.argv.slice(2);
const keyring = createKeyring(service);
const provider = keyringKey(keyring);
const vaultId = Buffer.from("0123456789abcdef");
const clock = { now: () => Date.now() };

const actions: Record<string, () => Promise<unknown>> = {
  probe: async () => (await keyring.probe()).kind,
  create: async () => {
    const { kek, params } = await provider.create(vaultId);
    Vault.create(path!, { provider: "keyring", params, vaultId }, kek);
    using vault = Vault.open({ path: path!, kek, clock });
    using value = Secret.fromText("canary-keyring");
    return vault.put(key(), value, META).kind;
  },
  open: async () => {
    const kek = await provider.open(findHeader(path!)!);
    const knownEpoch = await createEpochMark(keyring, vaultId.toString("hex")).read();
    using vault = Vault.open({ path: path!, kek, clock, knownEpoch });
    return read(vault, key());
  },
  mark: async () => {
    const kek = await provider.open(findHeader(path!)!);
    using vault = Vault.open({ path: path!, kek, clock });
    const mark = createEpochMark(keyring, vaultId.toString("hex"));
    const before = await mark.read();
    await mark.write(vault.epoch + 5);
    return `${before} then ${await mark.read()}`;
  },
  store: () => keyring.store("canary-account", Secret.fromText("canary-stored")),
  find: () => keyring.find("canary-account"),
  remove: () => keyring.remove("canary-account"),
  forget: () => keyring.remove(`vault-${vaultId.toString("hex")}`),
  // What the library would use without being pinned: the kernel's keyring, which a reboot empties.
  kernel: async () =>
    existsSync("/proc/keys") ? readFileSync("/proc/keys", "utf8").includes(service!) : false,
};

for (const step of steps) {
  try {
    console.log(`${step}: ${String(await actions[step]!())}`);
  } catch (error) {
    console.log(`${step}: ${error instanceof DeputyError ? error.code : String(error)}`);
  }
}
