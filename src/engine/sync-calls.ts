import { hash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createLoginStore, type LoginStore } from "../auth/index.ts";
import type { PolicyFile } from "../access/index.ts";
import type { Browsers } from "../browsers/index.ts";
import { type Clock, DeputyError } from "../kernel/index.ts";
import type { HomePaths } from "../platform/index.ts";
import {
  addressUrl,
  createPeerStore,
  createSink,
  type Delivered,
  FileWatch,
  isPeerName,
  PairingDesk,
  pairWith,
  parseListen,
  parsePeerUrl,
  type Peer,
  type PeerStore,
  push,
  SentStore,
  type Watched,
} from "../sync/index.ts";
import { foldDomain, type Vault } from "../vault/index.ts";
import { internalKey } from "./internal-rows.ts";
import type { CallContext, Calls } from "./methods.ts";
import { receiveLogin } from "./receive-login.ts";
import { receiveRow } from "./receive-row.ts";
import { peerSource, SourceLogins } from "./source-logins.ts";
import type { PeerRow, PushRow, SyncMethods } from "./sync-methods.ts";
import { SyncServers } from "./sync-servers.ts";
import type { VaultDoor } from "./vault-door.ts";

interface Parts {
  readonly door: VaultDoor;
  readonly browsers: Browsers;
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly policy: PolicyFile;
  /** Runs this machine's surfaces. */
  readonly deliver: () => Promise<readonly Delivered[]>;
}

type Input<K extends keyof SyncMethods> = SyncMethods[K]["in"];

/** After a push that failed, a watching source tries again after a while, and then less often. */
const RETRY_MS = [2_000, 5_000, 15_000, 60_000];

interface SyncCalls extends AsyncDisposable {
  readonly calls: Calls<keyof SyncMethods>;
}

/** Pairing, sending and receiving, as their callers see them. */
export function createSyncCalls(parts: Parts): SyncCalls {
  const { door, paths, clock } = parts;
  const servers = new SyncServers();
  const logins = new SourceLogins(parts);
  let sentStore: SentStore | undefined;
  /** One push at a time: two would race each other for the sequence. */
  let turn: Promise<unknown> = Promise.resolve();

  const peers = async () => createPeerStore({ vault: await door.get(), keyOf: internalKey });
  function sent(): SentStore {
    const folder = join(paths.home, "peers");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    sentStore ??= new SentStore(join(folder, "sent.db"), clock);
    return sentStore;
  }

  const lastSync = (store: PeerStore, peer: Peer) =>
    peer.role === "source" ? store.received(peer.id).at : sent().lastAt(peer);
  const asRow = (store: PeerStore, peer: Peer): PeerRow => {
    const last = lastSync(store, peer);
    return {
      name: peer.name,
      role: peer.role,
      url: peer.url,
      fingerprint: peer.fingerprint,
      paired_at: new Date(peer.pairedAt).toISOString(),
      last_sync: last === 0 ? null : new Date(last).toISOString(),
    };
  };

  async function pair(input: Input<"sync.pair">, { signal, progress }: CallContext): Promise<PeerRow> {
    const store = await peers();
    const name = input.name ?? machineName();
    if (!isPeerName(name)) {
      throw new DeputyError("BAD_INPUT", "Cannot use that as a machine's name", {
        hint: "Letters, digits, dots and dashes, at most 63.",
      });
    }
    const keep = async (peer: Peer) => {
      for (const old of store.list())
        if (old.name === peer.name && old.role === peer.role) sent().forget(old.id);
      store.add(peer);
    };
    if (input.peer !== undefined) {
      const listen = input.listen === undefined ? null : addressUrl(parseListen(input.listen));
      const self = { name, role: input.as, url: input.as === "sink" ? listen : null };
      const { code = "" } = input;
      const peer = await pairWith({ url: parsePeerUrl(input.peer), code, self, clock, signal });
      await keep(peer);
      return asRow(store, peer);
    }
    await using shared = await servers.use(parseListen(input.listen));
    const { server } = shared;
    if (server.desk !== undefined) {
      throw new DeputyError("CONFLICT", "Another pairing waits at that address", {
        hint: "End it, or choose another address with --listen.",
      });
    }
    const url = addressUrl(server.address);
    using desk = new PairingDesk({
      self: { name, role: input.as, url: input.as === "sink" ? url : null },
      clock,
      keep,
    });
    server.desk = desk;
    const cancel = () => desk[Symbol.dispose]();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      progress({ message: "Waiting for the other machine", code: desk.code, url });
      const peer = await desk.paired;
      return asRow(store, peer);
    } finally {
      signal.removeEventListener("abort", cancel);
      server.desk = undefined;
    }
  }

  async function pushOnce(
    input: Input<"sync.push">,
    always: boolean,
    signal: AbortSignal,
  ): Promise<PushRow[]> {
    const store = await peers();
    const wanted = chosen(store.list(), input.peers);
    const found = await logins.list({
      vault: await door.get(),
      policy: stampOf(parts.policy),
      withRows: identities(input.rows),
    });
    const done: PushRow[] = [];
    for (const peer of wanted) {
      const policy = parts.policy.policy();
      const deviceBound = input.device_bound ?? false;
      try {
        const pushed = await push({
          peer,
          sent: sent(),
          logins: found,
          allows: (what, to) => policy.allows(what, to),
          clock,
          deviceBound,
          always,
          signal,
        });
        done.push(pushed);
      } catch (error) {
        // One sink that is away does not keep the others waiting.
        if (!(error instanceof DeputyError) || error.code === "CANCELLED") throw error;
        done.push({ ...nothingPushed(peer), error: error.toJSON() });
      }
    }
    return done;
  }

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work);
    turn = next.catch(() => {});
    return next;
  };

  async function watchAndPush(input: Input<"sync.push">, { signal, progress }: CallContext): Promise<void> {
    let failures = 0;
    let first = true;
    for (;;) {
      using watch = new FileWatch(watched(parts), signal);
      const rows = await inTurn(() => pushOnce(input, first, signal));
      first = false;
      const news = rows.filter((row) => row.bytes > 0 || row.error !== undefined);
      for (const row of news) progress({ message: sentence(row) });
      failures = rows.some((row) => row.error !== undefined) ? failures + 1 : 0;
      await watch.changed(failures === 0 ? undefined : RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]);
    }
  }

  const calls: Calls<keyof SyncMethods> = {
    "sync.pair": pair,
    "sync.push": async (input, context) => {
      if (!input.watch) return inTurn(() => pushOnce(input, true, context.signal));
      await watchAndPush(input, context).catch(unlessCancelled);
      return [];
    },
    "sync.sink": async (input, { signal, progress }) => {
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
      const withRows = identities(input.rows);
      server.sink = createSink({
        peers,
        clock,
        allows: async () => {
          const policy = parts.policy.policy();
          return (what, to) => policy.allows(what, to);
        },
        receive: async (login, peer) =>
          receiveLogin(loginsOf(await door.get()), login, peerSource(peer.name)),
        receiveRow: async (row, peer) =>
          withRows(row)
            ? receiveRow(await door.get(), row, peer, clock.now())
            : { ok: false, reason: "this machine was not told to take keys of that account" },
        deliver: parts.deliver,
        onTaken: (peer, { stored, deleted, refused }) => {
          taken++;
          if (stored + deleted + refused.length === 0) return;
          progress({
            message: `${peer.name}: ${stored} stored, ${deleted} deleted, ${refused.length} refused`,
          });
        },
      });
      try {
        progress({ message: "Listening", url: addressUrl(server.address) });
        await ended(signal);
      } finally {
        server.sink = undefined;
      }
      return { taken };
    },
    "peers.list": async () => {
      const store = await peers();
      return store.list().map((peer) => asRow(store, peer));
    },
    "peers.remove": async ({ name }) => {
      const store = await peers();
      const known = store.list().filter((peer) => peer.name === name);
      const rows = known.map((peer) => asRow(store, peer));
      if (rows.length === 0) throw noPeer(name, store.list());
      store.remove(name);
      for (const peer of known) sent().forget(peer.id);
      return { removed: rows };
    },
  };

  return {
    calls,
    async [Symbol.asyncDispose]() {
      await servers[Symbol.asyncDispose]();
      sentStore?.[Symbol.dispose]();
    },
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

function watched({ paths, browsers }: Parts): Watched[] {
  const stores = browsers.list().flatMap(({ path }) => [path, join(path, "Network")]);
  return [
    { folder: paths.home, file: /^(vault\.db|policy\.yaml)/ },
    ...[...new Set(stores)].map((folder) => ({ folder, file: /cookies/i })),
  ];
}

/** `DOMAIN/ACCOUNT`, each. */
function identities(names: readonly string[] = []) {
  const wanted = new Set(
    names.map((name) => {
      const slash = name.indexOf("/");
      if (slash > 0) return `${foldDomain(name.slice(0, slash))}/${name.slice(slash + 1)}`;
      throw new DeputyError("BAD_INPUT", "Say whose keys: DOMAIN/ACCOUNT", {
        hint: "For example --rows exa.ai/joe@example.com",
      });
    }),
  );
  return ({ domain, identifier }: { domain: string; identifier: string }) =>
    wanted.has(`${domain}/${identifier}`);
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

function noPeer(name: string, all: readonly Peer[]): DeputyError {
  const known = all.map((peer) => peer.name).join(", ");
  return new DeputyError("NOT_FOUND", `There is no peer called ${name}`, {
    hint: known === "" ? "None is paired: deputy pair" : `There are: ${known}`,
  });
}

function nothingPushed({ name }: Peer): PushRow {
  return { peer: name, full: false, stored: 0, deleted: 0, bytes: 0, skipped: [], refused: [], surfaces: [] };
}

function sentence({ peer, stored, deleted, error }: PushRow): string {
  return error === undefined ? `${peer}: ${stored} sent, ${deleted} deleted` : `${peer}: ${error.message}`;
}

function machineName(): string {
  return (
    (hostname().split(".")[0] ?? "").replace(/[^a-z0-9._-]/gi, "-").replace(/^[^a-z0-9]+/i, "") || "deputy"
  );
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function unlessCancelled(error: unknown): void {
  if (!(error instanceof DeputyError) || error.code !== "CANCELLED") throw error;
}
