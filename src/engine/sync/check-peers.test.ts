import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { homePaths, prepareHome } from "../../platform/index.ts";
import { createRoad, type Peer, SyncServer } from "../../sync/index.ts";
import { checkPeers } from "./check-peers.ts";
import type { KnownPeers } from "./known-peers.ts";
import { LastResults } from "../delivery/last-results.ts";
import { SyncServers } from "./sync-servers.ts";

const KEYS = { theirs: "", own: "", ownPublic: "", pair: "", memory: "" };
const peer = (fields: Partial<Peer>): Peer => ({
  id: "a",
  name: "server",
  role: "sink",
  url: null,
  fingerprint: "",
  pairedAt: 0,
  keys: KEYS,
  ...fields,
});

async function check(peers: Peer[], aheadOfThem = 0, note?: (results: LastResults) => void) {
  using folder = temporaryFolder("peers");
  const paths = homePaths({ DEPUTY_HOME: folder.path });
  prepareHome(paths);
  const clock = { now: () => Date.now() + aheadOfThem };
  using results = new LastResults({ paths, clock });
  note?.(results);
  await using servers = new SyncServers(() => undefined);
  using road = createRoad({});
  // Only who the peers are is asked of it here; the vault they are kept in has tests of its own.
  const known = { store: async () => ({ list: () => peers }) } as unknown as KnownPeers;
  return await checkPeers({ known, servers, results, road, clock });
}

test("a sink that answers is in order, one whose clock differs is pointed out, one that is silent is a warning", async () => {
  await using server = await SyncServer.listen({ host: "127.0.0.1", port: 0 });
  const { url } = server;
  const [well, ...more] = await check([peer({ url })]);
  assert.deepEqual([well?.id, well?.status, more], ["peer-server", "ok", []]);
  assert.match(well?.message ?? "", /answers at http:\/\/127\.0\.0\.1:\d+; nothing was sent yet/);

  const off = await check([peer({ url })], 600_000);
  assert.match(off[1]?.message ?? "", /clock of server is (599|600|601) s behind/);
  await server[Symbol.asyncDispose]();
  const [silent] = await check([peer({ url })]);
  assert.deepEqual([silent?.status, /ECONNREFUSED/.test(silent?.message ?? "")], ["warn", true]);
});

test("what a source told of itself is told, and that no sink runs to hear it", async () => {
  const laptop = peer({ id: "b", name: "laptop", role: "source" });
  const checks = await check([laptop], 0, (results) =>
    results.noteContact(laptop, { error: null, version: "0.0.9", ahead: -95_000 }),
  );
  assert.deepEqual(
    checks.map(({ id, status }) => [id, status]),
    [
      ["sink", "warn"],
      ["peer-laptop", "ok"],
      ["clock-laptop", "warn"],
    ],
  );
  assert.match(checks[1]?.message ?? "", /last contact 20.*Deputy 0\.0\.9 there/);
});
