import assert from "node:assert/strict";
import { test } from "node:test";
import { PUBLIC_KEYS } from "../../test/support/chromium-profile.ts";
import { DeputyError, Secret } from "../kernel/index.ts";
import { createSafeStorage, deriveSealingKey, type SafeStorageOptions } from "./index.ts";

const absent = async () => ({ kind: "missing" as const });
function storage(platform: NodeJS.Platform, options: Partial<SafeStorageOptions> = {}) {
  return createSafeStorage({ platform, env: {}, lookupSecret: absent, lookupKeychain: absent, ...options });
}
const place = { application: "chrome", keychain: "Chrome" };

test("on Linux the keyring is asked once, and only for values that need it", async () => {
  const asked: object[] = [];
  const safe = storage("linux", {
    lookupSecret: async (attributes) => {
      asked.push(attributes);
      return { kind: "found", secret: Secret.fromText("from the keyring") };
    },
  });
  assert.deepEqual((await safe.keysFor(place, new Set(["v10"]))).keys, PUBLIC_KEYS);
  assert.deepEqual(asked, []);
  for (let i = 0; i < 2; i++) {
    const { keys } = await safe.keysFor(place, new Set(["v11"]));
    assert.deepEqual(keys.v11, deriveSealingKey("from the keyring", 1));
  }
  const { keys } = await safe.keysFor(place, new Set(["v11"]));
  safe[Symbol.dispose]();
  assert.deepEqual(keys.v11, Buffer.alloc(16), "zeroed when disposed");
  assert.deepEqual(asked, [{ "xdg:schema": "chrome_libsecret_os_crypt_password_v2", application: "chrome" }]);
});

test("a keyring without the key, one that does not answer, and KWallet are told apart", async () => {
  const code = async (options: Partial<SafeStorageOptions>) =>
    (await storage("linux", options).keysFor(place, new Set(["v11"]))).problems.map(
      (problem) => problem.code,
    );
  assert.deepEqual(await code({}), ["KEY_MISSING"]);
  assert.deepEqual(await code({ usesKWallet: () => true }), ["KWALLET_UNSUPPORTED"]);
  assert.deepEqual(await code({ lookupSecret: async () => ({ kind: "unavailable", reason: "no bus" }) }), [
    "KEYRING_UNAVAILABLE",
  ]);
  const late = () => Promise.reject(new DeputyError("TIMEOUT", "secret-tool took too long"));
  assert.deepEqual(await code({ lookupSecret: late }), ["KEYRING_UNAVAILABLE"]);
});

test("on macOS the Keychain's password is stretched 1003 times; on Windows the key is named as not available", async () => {
  const safe = storage("darwin", {
    lookupKeychain: async (service, account) => {
      assert.deepEqual([service, account], ["Chrome Safe Storage", "Chrome"]);
      return { kind: "found", secret: Secret.fromText("from the Keychain") };
    },
  });
  const { keys } = await safe.keysFor(place, new Set(["v10"]));
  assert.deepEqual(keys.v10, deriveSealingKey("from the Keychain", 1003));
  const refused = await storage("darwin").keysFor(place, new Set(["v10"]));
  assert.deepEqual(refused.problems[0]?.code, "KEY_MISSING");
  const windows = await storage("win32").keysFor(place, new Set(["v10"]));
  assert.deepEqual([windows.keys, windows.problems[0]?.code], [{}, "DPAPI_UNSUPPORTED"]);
});
