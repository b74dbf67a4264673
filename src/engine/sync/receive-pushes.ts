import type { PolicyFile } from "../../access/index.ts";
import { createLoginStore, type LoginStore } from "../../auth/index.ts";
import { type Clock, DeputyError } from "../../kernel/index.ts";
import { createSink, type Delivered, parseListen } from "../../sync/index.ts";
import type { Vault } from "../../vault/index.ts";
import type { KnownPeers } from "./known-peers.ts";
import type { LastResults } from "../delivery/last-results.ts";
import type { CallContext } from "../methods.ts";
import { namedIdentities } from "./named-identities.ts";
import { receiveRow } from "./receive-row.ts";
import { peerSource } from "./source-logins.ts";
import type { SyncMethods } from "./sync-methods.ts";
import type { SyncServers } from "./sync-servers.ts";
import type { VaultDoor } from "../vault/vault-door.ts";
import { version } from "../version.ts";

interface Parts {
  readonly known: KnownPeers;
  readonly servers: SyncServers;
  readonly door: VaultDoor;
  readonly clock: Clock;
  readonly policy: PolicyFile;
  readonly results: LastResults;
  /** Runs this machine's surfaces. */
  readonly deliver: () => Promise<readonly Delivered[]>;
}

/** Takes what paired sources send, until it is cancelled. */
export async function receivePushes(
  { known, servers, door, clock, policy: file, deliver, results }: Parts,
  input: SyncMethods["sync.sink"]["in"],
  { signal, progress }: CallContext,
): Promise<{ taken: number }> {
  const stores = new WeakMap<Vault, LoginStore>();
  const loginsOf = (vault: Vault) => {
    const store = stores.get(vault) ?? createLoginStore({ vault, clock });
    stores.set(vault, store);
    return store;
  };
  await door.get(); // a vault that is locked or missing is said now, not to the first peer
  await using shared = await servers.use(parseListen(input.listen));
  const { server } = shared;
  if (server.sink !== undefined)
    throw new DeputyError("CONFLICT", "A sink listens there already", { hint: "One is enough." });
  let taken = 0;
  const withRows = namedIdentities(input.rows);
  server.sink = createSink({
    peers: () => known.store(),
    clock,
    allows: async () => {
      const policy = file.policy();
      return (what, to) => policy.allows(what, to);
    },
    receive: async (logins, peer) =>
      loginsOf(await door.get()).mergeAll(logins, peerSource(peer.name), { durable: false }),
    receiveRow: async (row, peer) =>
      withRows(row)
        ? receiveRow(await door.get(), row, peer, clock.now())
        : { ok: false, reason: "this machine was not told to take keys of that account" },
    deliver,
    version,
    onTaken: (peer, { stored, deleted, refused }, from) => {
      taken++;
      const told = from === undefined ? {} : { version: from.version, ahead: from.now - clock.now() };
      results.noteContact(peer, { error: null, ...told });
      if (stored + deleted + refused.length === 0) return;
      progress({
        message: `${peer.name}: ${stored} stored, ${deleted} deleted, ${refused.length} refused`,
      });
    },
  });
  try {
    progress({ message: "Listening", url: server.url });
    await ended(signal);
  } finally {
    server.sink = undefined;
  }
  return { taken };
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
