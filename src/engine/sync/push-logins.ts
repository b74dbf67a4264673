import { hash } from "node:crypto";
import type { PolicyFile } from "../../access/index.ts";
import type { Browsers } from "../../browsers/index.ts";
import { type Clock, DeputyError } from "../../kernel/index.ts";
import type { HomePaths } from "../../platform/index.ts";
import { FileWatch, type Peer, push, type Road } from "../../sync/index.ts";
import { type KnownPeers, noPeer } from "./known-peers.ts";
import type { LastResults } from "../delivery/last-results.ts";
import type { CallContext } from "../methods.ts";
import { namedIdentities } from "./named-identities.ts";
import { SourceLogins } from "./source-logins.ts";
import type { PushRow, SyncMethods } from "./sync-methods.ts";
import type { VaultDoor } from "../vault/vault-door.ts";
import { version } from "../version.ts";
import { watchedFiles } from "../delivery/watched-files.ts";

interface Parts {
  readonly known: KnownPeers;
  readonly door: VaultDoor;
  readonly browsers: Browsers;
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly policy: PolicyFile;
  readonly road: Road;
  readonly results: LastResults;
  /** Has a newer login of the domain in a browser adopted into the vault, where there is one. */
  readonly refresh: (domain: string) => Promise<unknown>;
}

type Input = SyncMethods["sync.push"]["in"];

/** After a push that failed, a watching source tries again after a while, and then less often. */
const RETRY_MS = [2_000, 5_000, 15_000, 60_000];

/** Sends the logins of this machine to its sinks, once or at every change. */
export function createPushLogins(parts: Parts): (input: Input, context: CallContext) => Promise<PushRow[]> {
  const { known, door, clock } = parts;
  const logins = new SourceLogins(parts);
  /** One push at a time: two would race each other for the sequence. */
  let turn: Promise<unknown> = Promise.resolve();

  async function toEach(input: Input, always: boolean, signal: AbortSignal): Promise<PushRow[]> {
    const store = await known.store();
    const wanted = chosen(store.list(), input.peers);
    const { logins: found, isUnknown } = await logins.list({
      vault: await door.get(),
      policy: stampOf(parts.policy),
      withRows: namedIdentities(input.rows),
    });
    const done: PushRow[] = [];
    for (const peer of wanted) {
      const policy = parts.policy.policy();
      const deviceBound = input.device_bound ?? false;
      try {
        const pushed = await push({
          peer,
          sent: known.sent,
          logins: found,
          isUnknown,
          allows: (what, to) => policy.allows(what, to),
          clock,
          deviceBound,
          always,
          signal,
          road: parts.road,
          version,
        });
        parts.results.noteContact(peer, { error: null, ...pushed.there });
        done.push(pushed);
      } catch (error) {
        // One sink that is away does not keep the others waiting.
        if (!(error instanceof DeputyError) || error.code === "CANCELLED") throw error;
        parts.results.noteContact(peer, { error: error.message });
        done.push({ ...nothingPushed(peer), error: error.toJSON() });
      }
    }
    return done;
  }

  const inTurn = (input: Input, always: boolean, signal: AbortSignal): Promise<PushRow[]> => {
    const next = turn.then(() => toEach(input, always, signal));
    turn = next.catch(() => {});
    return next;
  };

  async function atEveryChange(input: Input, { signal, progress }: CallContext): Promise<void> {
    let failures = 0;
    let first = true;
    for (;;) {
      using watch = new FileWatch(watchedFiles(parts), signal);
      const rows = await inTurn(input, first, signal);
      first = false;
      const news = rows.filter((row) => row.bytes > 0 || row.error !== undefined);
      for (const row of news) progress({ message: sentence(row) });
      failures = rows.some((row) => row.error !== undefined) ? failures + 1 : 0;
      await watch.changed(failures === 0 ? undefined : RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]);
    }
  }

  return async (input, context) => {
    if (!input.watch) return inTurn(input, true, context.signal);
    await atEveryChange(input, context).catch(unlessCancelled);
    return [];
  };
}

/** What stayed here under one policy may go under another. */
function stampOf(policy: PolicyFile): string {
  try {
    return hash("sha256", JSON.stringify(policy.read()), "base64url");
  } catch {
    return "unreadable";
  }
}

function chosen(all: readonly Peer[], names: readonly string[] | undefined): Peer[] {
  const sinks = all.filter(({ role }) => role === "sink");
  for (const name of names ?? []) if (!sinks.some((peer) => peer.name === name)) throw noPeer(name, sinks);
  const wanted = names === undefined ? sinks : sinks.filter(({ name }) => names.includes(name));
  if (wanted.length > 0) return wanted;
  throw new DeputyError("NOT_FOUND", "This machine is not paired with a sink", {
    hint: "On the other machine: deputy pair --as sink. Then here: deputy pair --as source --peer URL",
  });
}

function nothingPushed({ name }: Peer): PushRow {
  return { peer: name, full: false, stored: 0, deleted: 0, bytes: 0, skipped: [], refused: [], surfaces: [] };
}

function sentence({ peer, stored, deleted, error }: PushRow): string {
  return error === undefined ? `${peer}: ${stored} sent, ${deleted} deleted` : `${peer}: ${error.message}`;
}

function unlessCancelled(error: unknown): void {
  if (!(error instanceof DeputyError) || error.code !== "CANCELLED") throw error;
}
