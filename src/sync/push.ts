import { randomBytes } from "node:crypto";
import { type Clock, DeputyError } from "../kernel/index.ts";
import type { Refusal } from "../surfaces/index.ts";
import { post } from "./carrier.ts";
import { writeMessage } from "./message.ts";
import type { Peer } from "./peer.ts";
import { perDomain } from "./per-domain.ts";
import { type Batch, planPush, type SourceLogin } from "./plan-push.ts";
import { openReply, type Reply } from "./reply.ts";
import { proofHeaders } from "./request-proof.ts";
import type { Road } from "./road.ts";
import type { SentStore } from "./sent-store.ts";
import type { AllowsPeer } from "./sink.ts";

export interface PushOptions {
  readonly peer: Peer;
  readonly sent: SentStore;
  readonly logins: readonly SourceLogin[];
  /** A login that is not among them and may be there all the same: nothing is said of it. */
  readonly isUnknown?: (login: { readonly domain: string; readonly identifier: string }) => boolean;
  readonly allows: AllowsPeer;
  readonly clock: Clock;
  /** Send also what is probably bound to this device. */
  readonly deviceBound?: boolean;
  /** Ask the sink even if nothing changed: it may have lost what it had. */
  readonly always?: boolean;
  readonly signal?: AbortSignal;
  readonly road?: Road;
  /** Of this Deputy. */
  readonly version?: string;
}

export interface Pushed {
  readonly peer: string;
  /** Everything was sent, not only what changed. */
  readonly full: boolean;
  readonly requests: number;
  readonly bytes: number;
  readonly stored: number;
  readonly deleted: number;
  /** What stayed here, and why. */
  readonly skipped: readonly Refusal[];
  /** What the sink would not take, and why. */
  readonly refused: readonly Refusal[];
  /** Of the last request. */
  readonly surfaces: Reply["surfaces"];
  /** What the sink told of itself: its version, and how far its clock is ahead of ours. */
  readonly there?: { readonly version: string; readonly ahead: number };
}

/** More than a source and a sink can disagree in turn: about the sequence, then about the state. */
const MOST_RETRIES = 4;

/** Brings one sink to the state of this machine. What was acknowledged stays so if a later part fails. */
export async function push(options: PushOptions): Promise<Pushed> {
  const { peer, sent, clock, always = false } = options;
  const url = new URL("/sync", addressOf(peer));
  let { sequence, base } = sent.link(peer);
  let full = base === null;
  const total = { requests: 0, bytes: 0, stored: 0, deleted: 0, refused: [] as Refusal[] };
  let surfaces: Reply["surfaces"] = [];
  let there: Pushed["there"];
  const allows = perDomain((domain) => options.allows({ domain }, { kind: "peer", name: peer.name }));

  const { sealEnvelope } = await import("./envelope.ts"); // loaded by who pushes: it is slow to

  async function say(batch: Batch): Promise<"taken" | "resync"> {
    const next = randomBytes(12).toString("base64url");
    const { version } = options;
    const from = version === undefined ? {} : { from: { version, now: clock.now() } };
    const body = writeMessage({ v: 1, base, next, logins: batch.logins, rows: batch.rows, ...from });
    for (let tries = 0; tries < MOST_RETRIES; tries++) {
      sequence++;
      const envelope = await sealEnvelope(peer, sequence, body);
      const headers = proofHeaders(peer, sequence, envelope);
      const began = clock.now();
      const answer = await post(url, { headers, body: envelope, signal: options.signal, road: options.road });
      const mac = Buffer.from(headers["deputy-mac"] ?? "", "base64url");
      const reply = openReply(peer, mac, answer.status, answer.body);
      total.requests++;
      total.bytes += envelope.length;
      if (reply === undefined) throw notTaken(peer, answer.status);
      if (answer.status === 200 && reply.code === undefined) {
        base = next;
        sent.commit(peer, { sequence, base }, batch.after);
        total.stored += reply.stored;
        total.deleted += reply.deleted;
        total.refused.push(...reply.refused);
        surfaces = reply.surfaces;
        const half = (clock.now() - began) / 2;
        if (reply.from !== undefined)
          there = { version: reply.from.version, ahead: Math.round(reply.from.now - began - half) };
        return "taken";
      }
      if (reply.code === "RESYNC") return "resync";
      if (reply.code !== "REPLAY") throw notTaken(peer, answer.status);
      sequence = reply.sequence; // the sink's count is the one that matters
    }
    throw notTaken(peer, 409);
  }

  for (let tries = 0; tries < MOST_RETRIES; tries++) {
    const { batches, skipped } = await planPush({
      logins: options.logins,
      isUnknown: options.isUnknown ?? (() => false),
      sent: sent.logins(peer),
      full,
      allows: ({ domain }) => allows(domain),
      deviceBound: options.deviceBound ?? false,
      now: clock.now(),
    });
    let outcome: "taken" | "resync" = "taken";
    for (const batch of withGreeting(batches, full || always)) {
      const silent = batch.logins.length + batch.rows.length === 0 && !(full || always);
      // The same cookies under another stamp: ours to remember, nothing to tell.
      if (silent) sent.commit(peer, { sequence, base }, batch.after);
      else outcome = await say(batch);
      if (outcome === "resync") break;
    }
    if (outcome === "taken") {
      const told = there === undefined ? {} : { there };
      return { peer: peer.name, full, ...total, skipped, surfaces, ...told };
    }
    full = true;
    base = null;
  }
  throw notTaken(peer, 409);
}

/** Where the sink must be asked there is something to say, if only that nothing changed. */
function withGreeting(batches: readonly Batch[], wanted: boolean): readonly Batch[] {
  return wanted && batches.length === 0 ? [{ logins: [], rows: [], after: [] }] : batches;
}

function addressOf(peer: Peer): string {
  if (peer.url !== null) return peer.url;
  throw new DeputyError("NOT_FOUND", `Nobody said where ${peer.name} listens`, {
    hint: "Pair again, this time with --peer URL on this machine or --listen ADDRESS on that one.",
  });
}

function notTaken(peer: Peer, status: number): DeputyError {
  if (status === 401) {
    return new DeputyError("DENIED", `${peer.name} does not know this machine any more`, {
      hint: "Pair the two again: deputy pair, on both.",
    });
  }
  if (status === 503) {
    return new DeputyError("NETWORK_FAILED", `${peer.name} is on, but its sink is not running`, {
      hint: "Start it there: deputy sink",
    });
  }
  return new DeputyError("PROTOCOL", `${peer.name} did not take the push (HTTP ${status})`, {
    hint: "Is it another program that answers there, or an older Deputy?",
  });
}
