import { hostname } from "node:os";
import { type Clock, DeputyError } from "../../kernel/index.ts";
import {
  addressUrl,
  isPeerName,
  PairingDesk,
  pairWith,
  parseListen,
  parsePeerUrl,
  type Peer,
  type Road,
} from "../../sync/index.ts";
import type { KnownPeers } from "./known-peers.ts";
import type { CallContext } from "../methods.ts";
import type { PeerRow, SyncMethods } from "./sync-methods.ts";
import type { SyncServers } from "./sync-servers.ts";

interface Parts {
  readonly known: KnownPeers;
  readonly servers: SyncServers;
  readonly clock: Clock;
  readonly road: Road;
}

/** Pairs with a machine that waits, or waits for one. */
export async function pairMachines(
  { known, servers, clock, road }: Parts,
  input: SyncMethods["sync.pair"]["in"],
  { signal, progress }: CallContext,
): Promise<PeerRow> {
  const store = await known.store();
  const name = input.name ?? machineName();
  if (!isPeerName(name)) {
    throw new DeputyError("BAD_INPUT", "Cannot use that as a machine's name", {
      hint: "Letters, digits, dots and dashes, at most 63.",
    });
  }
  const keep = async (peer: Peer) => known.keep(store, peer);
  if (input.peer !== undefined) {
    const listen = input.listen === undefined ? null : addressUrl(parseListen(input.listen));
    const self = { name, role: input.as, url: input.as === "sink" ? listen : null };
    const { code = "" } = input;
    const peer = await pairWith({ url: parsePeerUrl(input.peer), code, self, clock, signal, road });
    await keep(peer);
    return known.asRow(store, peer);
  }
  await using shared = await servers.use(parseListen(input.listen));
  const { server } = shared;
  if (server.desk !== undefined) {
    throw new DeputyError("CONFLICT", "Another pairing waits at that address", {
      hint: "End it, or choose another address with --listen.",
    });
  }
  const { url } = server;
  using desk = new PairingDesk({
    self: { name, role: input.as, url: input.as === "sink" ? url : null },
    clock,
    keep,
  });
  server.desk = desk;
  const cancel = () => desk[Symbol.dispose]();
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    progress({ message: "Waiting for the other machine", code: desk.code, url });
    const peer = await desk.paired;
    return known.asRow(store, peer);
  } finally {
    signal.removeEventListener("abort", cancel);
    server.desk = undefined;
  }
}

function machineName(): string {
  return (
    (hostname().split(".")[0] ?? "").replace(/[^a-z0-9._-]/gi, "-").replace(/^[^a-z0-9]+/i, "") || "deputy"
  );
}
