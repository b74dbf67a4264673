/**
 * Logins on the owner's other machines. Two machines are paired by a short code; then a source pushes what changed, in
 * envelopes sealed end to end, and a sink stores it and runs its surfaces. It opens no envelope of an unknown peer,
 * takes none twice, moves nothing the policy of either side refuses, and never listens on all networks at once.
 */
export { type Address, addressUrl, parseListen, parsePeerUrl } from "./address.ts";
export type { LoginChanges, RowChange } from "./message.ts";
export { isPeerName, type Peer, type Told } from "./peer.ts";
export { createPeerStore, type PeerStore, type Received } from "./peer-store.ts";
export { pairWith } from "./pair-with.ts";
export { PairingDesk, type Self } from "./pairing-desk.ts";
export type { SourceLogin } from "./plan-push.ts";
export { type Probe, probePeer } from "./probe-peer.ts";
export { push, type Pushed, type PushOptions } from "./push.ts";
export type { Reply } from "./reply.ts";
export { createRoad, type Road } from "./road.ts";
export { SentStore } from "./sent-store.ts";
export {
  type AllowsPeer,
  createSink,
  type Delivered,
  type SinkParts,
  type Verdict,
} from "./sink.ts";
export { type Certificate, SyncServer } from "./sync-server.ts";
export { FileWatch, type Watched } from "./watch-files.ts";
