import type { CdpConnection } from "../cdp/index.ts";
import type { Cookie, CookieChange } from "../cookies/index.ts";
import type { Identity } from "../kernel/index.ts";
import type { OriginStorage, StorageLoss } from "./storage/origin-storage.ts";

/** What a session is cloned from. Two opens of one owner with equal sources mean the same session. */
export type SessionSource =
  | { readonly kind: "identity"; readonly identity: Identity }
  | { readonly kind: "profile"; readonly browser: string; readonly profile: string }
  /** `identity`: whose login it had when it was first opened; null where it had none of the vault. */
  | { readonly kind: "saved"; readonly name: string; readonly identity: Identity | null }
  | { readonly kind: "blank" };

/** What a source gives, read when it is needed. Values stay in the engine. */
export interface SessionSeed {
  readonly cookies: readonly Cookie[];
  /**
   * Origins that have something in local storage or IndexedDB, read at an origin's first visit, once; "any" where it is
   * not known before.
   */
  readonly origins: readonly string[] | "any";
  readonly storageOf: (origin: string) => Promise<OriginStorage | undefined>;
  /** What could not be read of the source, in words without values. */
  readonly warnings: readonly string[];
  /** It is no longer needed. */
  readonly close?: () => Promise<void>;
}

/** What a session belongs to. Made from the connection, never from a message. */
export interface SessionOwner {
  /** One connection of an agent; for commands, which are a connection each, the agent. */
  readonly key: string;
  readonly agent: string;
  /** Whether its sessions end with the connection. */
  readonly bound: boolean;
  /** The person: sees everybody's. */
  readonly seesAll: boolean;
}

export interface Refused {
  readonly name: string;
  readonly domain: string;
  readonly reason: string;
}

/** What `open` tells: no values. */
export interface OpenReport {
  /** Every cookie of the source is in one of the two. */
  readonly cookies: { readonly cloned: number; readonly refused: readonly Refused[] };
  readonly logins: readonly LoginReport[];
  /** Cookies that are probably refused outside of the browser they were made in. */
  readonly device_bound: readonly Refused[];
  readonly storage: {
    /** Origins whose storage waits for their first visit; null: any may have some. */
    readonly waiting: number | null;
    /** Origins whose storage was put in place. */
    readonly cloned: number;
    readonly lost: readonly StorageLoss[];
  };
  readonly warnings: readonly string[];
}

export interface LoginReport {
  readonly domain: string;
  readonly cookies: number;
  /** When the last of its cookies that look like a login ends; null: with the session. */
  readonly until: string | null;
}

export interface Tab {
  /** The target's id in the browser. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
}

/** A session as its owner may see it. */
export interface SessionView {
  readonly id: string;
  readonly name: string;
  readonly agent: string;
  readonly source: string;
  /** `asleep`: without tabs until the next command; `lost`: the browser ended, and it can be opened anew. */
  readonly state: "opening" | "open" | "asleep" | "lost";
  readonly created: number;
  readonly used: number;
  readonly tabs: readonly Tab[];
  readonly report: OpenReport;
}

/** What a session's changed cookies do to the vault, where the owner asked for it. */
export interface WriteBack {
  /** Only cookies of this domain and below. */
  readonly domain: string;
  /** Whether a cookie that was deleted is deleted there too. */
  readonly deletions: boolean;
  readonly keep: (changes: readonly CookieChange[]) => Promise<void>;
}

/** A cookie of the source that no script may read: its value is masked at the endpoint. */
export interface HiddenCookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
}

/**
 * An open session as the parts of this folder see it: the endpoint, the drivers. It reaches the whole browser, so it is
 * handed to no agent.
 */
export interface LiveSession {
  readonly id: string;
  /** Of the whole browser. `Target.attachToBrowserTarget` gives a client a browser session of its own. */
  readonly connection: CdpConnection;
  readonly contextId: string;
  /** The only folder files may come from and go to; it has the same path inside the browser's jail. */
  readonly folder: string;
  /** Hosts the session is fenced to; null: none. The network is fenced by a proxy already. */
  readonly allow: readonly string[] | null;
  /** The grant allows the agent to see values of HttpOnly cookies. */
  readonly expose: boolean;
  /** HttpOnly cookies as they were cloned. */
  hidden(): readonly HiddenCookie[];
  /** Targets of our own (seeding of storage), which no client may see. */
  isHelper(targetId: string): boolean;
  /** It was used just now: it is not idle. */
  touch(): void;
  /** While a client is connected the session does not fall asleep and does not end with its owner's connection. */
  hold(): Disposable;
  /** Resolves with the reason once it was disposed or its browser ended. */
  readonly ended: Promise<string>;
}
