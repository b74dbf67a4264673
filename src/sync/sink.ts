import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../kernel/index.ts";
import type { Deletion, Refusal } from "../surfaces/index.ts";
import type { Cookie } from "../cookies/index.ts";
import { foldDomain } from "../vault/index.ts";
import { type LoginChanges, readMessage, type RowChange } from "./message.ts";
import type { Peer, Told } from "./peer.ts";
import type { PeerStore } from "./peer-store.ts";
import { perDomain } from "./per-domain.ts";
import { type Reply, sealReply } from "./reply.ts";
import { type Claim, isBodyOf, isProven, readClaim } from "./request-proof.ts";

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** What the owner lets move between this machine and that peer. */
export type AllowsPeer = (
  what: { readonly domain: string },
  peer: { readonly kind: "peer"; readonly name: string },
) => Verdict;

/** What a surface had to say. */
export interface Delivered {
  readonly surface: string;
  readonly delivered: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly refused: readonly unknown[];
  readonly error?: { readonly message: string };
}

export interface SinkParts {
  readonly peers: () => Promise<PeerStore>;
  readonly clock: Clock;
  readonly allows: () => Promise<AllowsPeer>;
  /**
   * Puts changes of logins into the vault, cookie by cookie. Neither these nor rows need be on the disk when this
   * returns: the sequence is written after them, to the same file, and waits for both.
   */
  readonly receive: (logins: readonly LoginChanges[], peer: Peer) => Promise<void>;
  /** Puts a row of another kind in place; a reason where it must not be. */
  readonly receiveRow: (row: RowChange, peer: Peer) => Promise<Verdict>;
  /** Runs the surfaces, with what came and what went. */
  readonly deliver: (want: readonly Cookie[], gone: readonly Deletion[]) => Promise<readonly Delivered[]>;
  /** `from` is what the source told of itself. */
  readonly onTaken?: (peer: Peer, reply: Reply, from: Told | undefined) => void;
  /** Of this Deputy. */
  readonly version?: string;
}

/** A request whose headers prove that a peer of ours sent it. */
interface Admitted {
  readonly peer: Peer;
  readonly claim: Claim;
  readonly mac: Buffer;
}

export interface Sink {
  readonly largestBody: number;
  /** Before any of the body is read. Undefined: nobody we know says so. */
  admit(headers: IncomingHttpHeaders, length: number): Promise<Admitted | undefined>;
  take(request: Admitted, body: Buffer): Promise<{ status: number; body: Buffer }>;
}

const LARGEST_BODY = 8 * 1024 * 1024;
/** A source counts by one; a few are lost when it breaks off. A sequence far ahead would lock it out for ever. */
const LARGEST_JUMP = 1_000;
const MOST_REFUSED = 1_000;

type Outcome = Omit<Reply, "sequence">;
const NOTHING: Outcome = { stored: 0, deleted: 0, refused: [], surfaces: [] };

/** Takes envelopes one after another, so that what was taken is never taken twice. */
export function createSink(parts: SinkParts): Sink {
  let turn: Promise<unknown> = Promise.resolve();

  async function takeInTurn({ peer, claim, mac }: Admitted, body: Buffer) {
    const answer = (status: number, sequence: number, outcome: Outcome) => {
      const { version } = parts;
      const from = version === undefined ? {} : { from: { version, now: parts.clock.now() } };
      const reply: Reply = { ...outcome, sequence, ...from };
      return { status, body: sealReply(peer, mac, status, reply), reply };
    };
    const { openEnvelope } = await import("./envelope.ts"); // loaded by who is pushed to: it is slow to
    const store = await parts.peers();
    const received = store.received(peer.id);
    const refuse = (status: number, code: NonNullable<Reply["code"]>) =>
      answer(status, received.sequence, { ...NOTHING, code });
    const now = parts.clock.now();
    const opened = isBodyOf(claim, body) ? await openEnvelope(peer, claim.sequence, body) : undefined;
    const message = opened && readMessage(opened, now);
    if (message === undefined) return refuse(400, "MALFORMED");
    if (claim.sequence <= received.sequence || claim.sequence > received.sequence + LARGEST_JUMP)
      return refuse(409, "REPLAY");
    if (message.base !== null && message.base !== received.base) return refuse(409, "RESYNC");
    const outcome = await apply(parts, peer, message);
    // Last, so that a push that broke off half-way is taken again when it is repeated: all it does can be done twice.
    store.setReceived(peer.id, { sequence: claim.sequence, base: message.next, at: now });
    const done = answer(200, claim.sequence, outcome);
    parts.onTaken?.(peer, done.reply, message.from);
    return done;
  }

  return {
    largestBody: LARGEST_BODY,
    async admit(headers, length) {
      const read = readClaim(headers, length);
      if (read === undefined) return undefined;
      const store = await parts.peers();
      const peer = store.find(read.claim.peer);
      if (peer === undefined || peer.role !== "source" || !isProven(peer, read.claim, read.mac))
        return undefined;
      return { peer, ...read };
    },
    take(request, body) {
      const taken = turn.then(() => takeInTurn(request, body));
      turn = taken.catch(() => {});
      return taken;
    },
  };
}

async function apply(
  parts: SinkParts,
  peer: Peer,
  { logins, rows }: { logins: readonly LoginChanges[]; rows: readonly RowChange[] },
): Promise<Outcome> {
  const to = { kind: "peer", name: peer.name } as const;
  const allowed = await parts.allows();
  const allows = perDomain((domain) => allowed({ domain }, to));
  const siteOf = perDomain(foldDomain);
  const refused: Refusal[] = [];
  const want: Cookie[] = [];
  const gone: Deletion[] = [];
  const received: LoginChanges[] = [];
  for (const login of logins) {
    const changes = login.changes.filter((change) => {
      const { name, domain } = change.kind === "set" ? change.cookie : change;
      const verdict: Verdict =
        siteOf(domain) === login.domain
          ? allows(domain)
          : { ok: false, reason: "it belongs to another site than its login" };
      if (!verdict.ok) refused.push({ name, domain, reason: verdict.reason });
      return verdict.ok;
    });
    if (changes.length === 0) continue;
    received.push({ ...login, identifier: localName(login.identifier, peer), changes });
    for (const change of changes) {
      if (change.kind === "set") want.push(change.cookie);
      else gone.push(change);
    }
  }
  if (received.length > 0) await parts.receive(received, peer);
  let [stored, deleted] = [want.length, gone.length];
  for (const row of rows) {
    const allowance = allows(row.domain);
    const verdict = allowance.ok ? await parts.receiveRow(row, peer) : allowance;
    if (!verdict.ok) refused.push({ name: row.type, domain: row.domain, reason: verdict.reason });
    else if (row.value === null) deleted++;
    else stored++;
  }
  const deliveries = await parts.deliver(want, gone);
  return { stored, deleted, refused: refused.slice(0, MOST_REFUSED), surfaces: deliveries.map(summary) };
}

/** An account nobody has named is called after where it came from, and two machines may both have a Default. */
function localName(identifier: string, peer: Peer): string {
  return identifier.startsWith("@") ? `@${peer.name}/${identifier.slice(1)}` : identifier;
}

function summary({
  surface,
  delivered,
  unchanged,
  deleted,
  refused,
  error,
}: Delivered): Reply["surfaces"][number] {
  const failed = error === undefined ? {} : { error: error.message };
  return { surface, delivered, unchanged, deleted, refused: refused.length, ...failed };
}
