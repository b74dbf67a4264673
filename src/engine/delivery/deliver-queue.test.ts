import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { homePaths } from "../../platform/index.ts";
import type { VaultDoor } from "../vault/vault-door.ts";
import { DeliverQueue } from "./deliver-queue.ts";

test("What goes wrong while something waits is told, and ends nothing but the waiting", async () => {
  using folder = temporaryFolder("queue");
  const paths = homePaths({ DEPUTY_HOME: folder.path });
  mkdirSync(join(paths.home, "surfaces"), { recursive: true });
  writeFileSync(join(paths.home, "surfaces", "waiting"), "");
  const fault = Promise.withResolvers<unknown>();
  const get = async () => {
    throw new TypeError("the disk is gone");
  };
  await using queue = new DeliverQueue({
    door: { isOpen: false, get } as unknown as VaultDoor,
    paths,
    deliver: async () => assert.fail("nothing was recalled"),
    onFault: fault.resolve,
  });
  assert.ok((await fault.promise) instanceof TypeError);
  assert.deepEqual(queue.profiles, []);
});
