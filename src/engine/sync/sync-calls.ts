import type { PolicyFile } from "../../access/index.ts";
import type { Browsers } from "../../browsers/index.ts";
import type { Clock } from "../../kernel/index.ts";
import type { HomePaths } from "../../platform/index.ts";
import { createRoad, type Delivered } from "../../sync/index.ts";
import { checkPeers } from "./check-peers.ts";
import { KnownPeers } from "./known-peers.ts";
import type { LastResults } from "../delivery/last-results.ts";
import type { Calls, Check } from "../methods.ts";
import type { NetworkSettings } from "../network.ts";
import { pairMachines } from "./pair-machines.ts";
import { createPushLogins } from "./push-logins.ts";
import { receivePushes } from "./receive-pushes.ts";
import type { SyncMethods } from "./sync-methods.ts";
import { type CertificateFiles, SyncServers } from "./sync-servers.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly door: VaultDoor;
  readonly browsers: Browsers;
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly policy: PolicyFile;
  /** Runs this machine's surfaces. */
  readonly deliver: () => Promise<readonly Delivered[]>;
  readonly results: LastResults;
  /** Has a newer login of the domain in a browser adopted into the vault, where there is one. */
  readonly refresh: (domain: string) => Promise<unknown>;
  readonly network: Pick<NetworkSettings, "roots" | "overrides">;
  /** What the sink shows those who reach it over HTTPS; undefined: it speaks HTTP. */
  readonly tls: () => CertificateFiles | undefined;
}

interface SyncCalls extends AsyncDisposable {
  readonly calls: Calls<keyof SyncMethods>;
  /** For doctor. */
  readonly check: () => Promise<Check[]>;
}

/** Pairing, sending and receiving, as their callers see them. */
export function createSyncCalls(parts: Parts): SyncCalls {
  const known = new KnownPeers(parts);
  const road = createRoad(parts.network);
  const all = { ...parts, known, road, servers: new SyncServers(parts.tls) };
  return {
    calls: {
      "sync.pair": (input, context) => pairMachines(all, input, context),
      "sync.push": createPushLogins(all),
      "sync.sink": (input, context) => receivePushes(all, input, context),
      "peers.list": async () => {
        const store = await known.store();
        return store.list().map((peer) => known.asRow(store, peer));
      },
      "peers.remove": async ({ name }) => ({ removed: known.remove(await known.store(), name) }),
    },
    check: () => checkPeers(all),
    async [Symbol.asyncDispose]() {
      await all.servers[Symbol.asyncDispose]();
      road[Symbol.dispose]();
      known[Symbol.dispose]();
    },
  };
}
