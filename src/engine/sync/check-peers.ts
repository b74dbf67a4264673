import { type Clock, DeputyError } from "../../kernel/index.ts";
import { type Peer, probePeer, type Road } from "../../sync/index.ts";
import type { KnownPeers } from "./known-peers.ts";
import type { LastContact, LastResults } from "../delivery/last-results.ts";
import type { Check } from "../methods.ts";
import type { SyncServers } from "./sync-servers.ts";
import { version } from "../version.ts";

interface Parts {
  readonly known: KnownPeers;
  readonly servers: SyncServers;
  readonly results: LastResults;
  readonly road: Road;
  readonly clock: Clock;
}

/** A difference that makes the older of two logins look like the newer one. */
const CLOCK_MS = 30_000;

/** The machines this one is paired with: whether they are there, speak our language and have our time. */
export async function checkPeers(parts: Parts): Promise<Check[]> {
  const peers = await listPeers(parts.known);
  if (peers === undefined) return []; // the vault's own check says why it is closed
  if (peers.length === 0)
    return [{ id: "peers", status: "ok", message: "No machine is paired with this one" }];
  const found = await Promise.all(
    peers.map((peer) => (peer.role === "sink" ? sink(parts, peer) : source(parts, peer))),
  );
  return [...(await receiving(parts, peers)), ...found.flat()];
}

async function listPeers(known: KnownPeers): Promise<Peer[] | undefined> {
  try {
    return (await known.store()).list();
  } catch (error) {
    if (error instanceof DeputyError) return undefined;
    throw error;
  }
}

async function receiving({ servers }: Parts, peers: readonly Peer[]): Promise<Check[]> {
  if (!peers.some(({ role }) => role === "source")) return [];
  const id = "sink";
  const places = await servers.sinks();
  if (places.length > 0) return [{ id, status: "ok", message: `A sink listens at ${places.join(", ")}` }];
  const hint = "deputy sink receives while it runs; deputy sink --install has it started with your session.";
  return [{ id, status: "warn", message: "No sink runs here: paired sources cannot send", hint }];
}

async function sink({ road, results, clock }: Parts, peer: Peer): Promise<Check[]> {
  const id = `peer-${peer.name}`;
  const contact = results.contact(peer);
  if (peer.url === null) {
    const hint = "Pair again, with --peer URL here or --listen ADDRESS there.";
    return [{ id, status: "warn", message: `Nobody said where ${peer.name} listens`, hint }];
  }
  const probe = await probePeer(peer.url, road, () => clock.now()).catch(problemOf);
  if (probe.kind === "silent") {
    const message = `${peer.name} does not answer at ${peer.url} (${probe.why}); ${lastWords(contact)}`;
    return [{ id, status: "warn", message, hint: "Is it on, and does deputy sink run there?" }];
  }
  if (!probe.speaksOurs) {
    const message = `${peer.name} speaks no version of the protocol this Deputy (${version}) does`;
    return [{ id, status: "fail", message, hint: "Update the older of the two." }];
  }
  const status = contact?.error == null ? "ok" : "warn";
  const message = `${peer.name}, a sink, answers at ${peer.url}; ${lastWords(contact)}`;
  return [{ id, status, message }, ...clockCheck(peer, contact?.ahead ?? probe.ahead)];
}

async function source({ results }: Parts, peer: Peer): Promise<Check[]> {
  const contact = results.contact(peer);
  const message = `${peer.name}, a source; ${lastWords(contact)}`;
  return [
    { id: `peer-${peer.name}`, status: "ok", message },
    ...clockCheck(peer, contact?.ahead ?? undefined),
  ];
}

/** Roots that cannot be used keep only those from being reached that need them. */
function problemOf(error: unknown): { kind: "silent"; why: string } {
  if (error instanceof DeputyError) return { kind: "silent", why: error.message };
  throw error;
}

function lastWords(contact: LastContact | undefined): string {
  if (contact === undefined) return "nothing was sent yet";
  const { at, error, version: there } = contact;
  const when = `${at.slice(0, 16).replace("T", " ")} UTC`;
  const told = there === null ? "" : `, Deputy ${there} there`;
  return error === null ? `last contact ${when}${told}` : `last try ${when}: ${error}${told}`;
}

function clockCheck({ name }: Peer, ahead: number | undefined): Check[] {
  if (ahead === undefined || Math.abs(ahead) < CLOCK_MS) return [];
  const by = `${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? "ahead of" : "behind"}`;
  const message = `The clock of ${name} is ${by} this one: which login is newer may be decided wrongly`;
  return [{ id: `clock-${name}`, status: "warn", message, hint: "Have both set by the network." }];
}
