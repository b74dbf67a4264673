import type { Caller, ErrorCode } from "../kernel/index.ts";

import type { DeliverMethods, DeliveryRow } from "./delivery/deliver-methods.ts";
import type { GraphMethods } from "./graph/graph-methods.ts";
import type { BrowseMethods } from "./browse/browse-methods.ts";
import type { CaptureMethods } from "./sessions/capture-methods.ts";
import type { CapabilityMethods } from "./skills/capability-methods.ts";
import type { LogLine, LogMethods } from "./log/log-methods.ts";
import type { LastContact, LastDelivery } from "./delivery/last-results.ts";
import type { LoginMethods } from "./logins/login-methods.ts";
import type { SetupMethods } from "./logins/setup-methods.ts";
import type { SessionMethods } from "./sessions/session-methods.ts";
import type { SkillMethods } from "./skills/skill-methods.ts";
import type { RunMethods } from "./skills/run-methods.ts";
import type { SkillTestMethods } from "./skills/skill-test-methods.ts";
import type { SyncMethods } from "./sync/sync-methods.ts";

/** What long work says while it runs. */
export interface Progress {
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
  /** Where a person has to go, what to type there, and by which name the flow takes what they paste. */
  readonly url?: string;
  readonly code?: string;
  readonly flow?: string;
  /** A part of an answer that is passed on as it arrives; base64. */
  readonly chunk?: string;
  /** One of the log that is followed. */
  readonly line?: LogLine;
  /** What the lists of skills and their tools are; others where something in them changed. */
  readonly lists?: { readonly skills: string; readonly capabilities: string };
  /** What a round of a watched delivery came to. */
  readonly surfaces?: readonly DeliveryRow[];
}

type KeyKind = "keyring" | "passphrase" | "file";

export interface VaultRow {
  readonly domain: string;
  readonly identifier: string;
  readonly item_type: string;
  readonly label: string | null;
  readonly source: string;
  readonly obtained_at: string | null;
  readonly updated_at: string | null;
  readonly last_verified: string | null;
  readonly masked: string;
  /** Present when the row cannot be opened. */
  readonly problem?: ErrorCode;
}

export interface Check {
  readonly id: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
  readonly hint?: string;
}

export interface VaultStatus {
  readonly state: "none" | "locked" | "open" | "problem";
  readonly key: KeyKind | null;
  readonly rows: number | null;
  /** Whether a whole file put back would be noticed: it takes a keyring. */
  readonly rollback_detection: boolean;
  readonly problem?: { readonly code: ErrorCode; readonly message: string; readonly hint?: string };
}

export interface EngineStatus {
  readonly running: true;
  readonly pid: number;
  readonly version: string;
  readonly uptime_ms: number;
  readonly memory_bytes: number;
  readonly connections: number;
  readonly last_error: { readonly at: string; readonly message: string } | null;
  readonly hardening: { readonly noCoreFiles: boolean; readonly notDumpable: boolean };
  readonly overrides: readonly string[];
}

export interface BrowserRow {
  readonly browser: string;
  readonly profile: string;
  readonly path: string;
  readonly cookies: number;
  readonly readable: boolean;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

export interface GrantRow {
  readonly id: string;
  /** `owner`, an agent's name, or `*` for whoever asks. */
  readonly agent: string;
  readonly skill: string;
  /** The content hash of the code, the folder of a skill under development, null for a built-in. */
  readonly pin: string | { readonly path: string } | null;
  /** Pending: it holds for the first account it is used with. */
  readonly identity: {
    readonly domain: string;
    readonly account: string | null;
    readonly pending: boolean;
  } | null;
  readonly operations: readonly string[] | null;
  readonly read_only: boolean;
  readonly expires: string | null;
  readonly expose: boolean;
  readonly allow: readonly string[];
  /** Where the login, and what is read with it, could go. */
  readonly hosts: readonly string[];
  readonly created_at: string;
  readonly status: "active" | "expired" | "code-changed" | "skill-missing";
}

type CookieFormat = "header" | "json" | "netscape" | "storage-state";

type None = Record<string, never>;

/** Every call an entry can make. Schemas for the inputs are in `inputs.ts`, which only the engine loads. */
export interface Methods
  extends LoginMethods,
    SetupMethods,
    LogMethods,
    BrowseMethods,
    SkillMethods,
    SkillTestMethods,
    RunMethods,
    SyncMethods,
    CapabilityMethods,
    GraphMethods,
    SessionMethods,
    CaptureMethods,
    DeliverMethods {
  "engine.status": { in: None; out: EngineStatus };
  "engine.stop": { in: None; out: { stopping: true } };
  status: {
    in: None;
    /** `agents`: how many have called so far. */
    out: {
      home: string;
      engine: EngineStatus;
      vault: VaultStatus;
      agents: number | null;
      /** How each surface, and each paired machine, was last served. */
      deliveries: readonly LastDelivery[];
      peers: readonly LastContact[];
    };
  };
  doctor: { in: None; out: { ok: boolean; checks: readonly Check[] } };
  setup: {
    in: { key?: KeyKind; passphrase?: string; key_file?: string };
    out: { created: boolean; key: KeyKind; warnings: readonly string[] };
  };
  browsers: { in: None; out: readonly BrowserRow[] };
  /** Cookies in clear, for the owner's own use: the one identity found, never a merge of two. */
  cookies: {
    in: {
      url?: string;
      domain?: string;
      browser?: string;
      profile?: string;
      account?: string;
      format: CookieFormat;
    };
    out: {
      /** In the format asked for. */
      text: string;
      count: number;
      /** Whose they are: `chromium/Default`, `joe@example.com`. Null when there are none. */
      source: string | null;
      /** What could not be read, or not be written in this format. Contains no value. */
      warnings: readonly string[];
    };
  };
  /** The body comes as progress, chunk by chunk. */
  curl: {
    in: {
      url: string;
      method: string;
      headers: readonly (readonly [string, string])[];
      /** base64 */
      body?: string;
      account?: string;
      provider?: string;
    };
    out: {
      status: number;
      url: string;
      headers: readonly (readonly [string, string])[];
      account: string;
      provider: string;
    };
  };
  /** To the owner all of them, to an agent those it may use. */
  "grants.list": { in: None; out: readonly GrantRow[] };
  "grants.add": {
    in: {
      skill: string;
      /** The code the owner was asked about: another is not allowed in its place. */
      pin?: string | { readonly path: string };
      /** `DOMAIN` or `DOMAIN/ACCOUNT`. */
      identity?: string;
      every_account?: boolean;
      /** Whom it is for, not who is calling. Default: the owner. */
      agent?: string;
      operations?: readonly string[];
      read_only?: boolean;
      expires?: string;
      expose?: boolean;
      allow?: readonly string[];
    };
    out: { grant: GrantRow; replaced: readonly string[] };
  };
  "grants.remove": { in: { id: string }; out: { removed: GrantRow } };
  "vault.list": { in: None; out: readonly VaultRow[] };
  "vault.set": {
    in: { domain: string; account: string; type: string; value: unknown; label?: string };
    out: { domain: string; identifier: string; item_type: string; masked: string; replaced: boolean };
  };
  "vault.remove": { in: { domain: string; account: string; type?: string }; out: { removed: number } };
  "vault.rename": { in: { domain: string; account: string; to: string }; out: { renamed: number } };
  "vault.rotate": { in: None; out: { resealed: number; unreadable: number; swept: boolean } };
  "vault.rekey": {
    in: { key: KeyKind; passphrase?: string; key_file?: string };
    out: { key: KeyKind; warnings: readonly string[] };
  };
  "vault.verify": {
    in: { accept?: boolean; remove_damaged?: boolean };
    out: {
      rows: number;
      bad: readonly { domain: string; identifier: string; item_type: string; code: ErrorCode }[];
      problem?: { code: ErrorCode; message: string; hint?: string };
    };
  };
  "vault.unlock": { in: { passphrase: string }; out: { rows: number } };
  "vault.export": {
    in: { path: string; passphrase: string; overwrite?: boolean };
    out: { path: string; rows: number; unreadable: number };
  };
  "vault.import": {
    in: { path: string; passphrase: string };
    out: { imported: number; kept: number; refused: number };
  };
}

/** What a handler is given besides its input. */
export interface CallContext {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
}

/** The engine's side of some of the methods. */
export type Calls<Names extends keyof Methods> = {
  [K in Names]: (input: Methods[K]["in"], context: CallContext) => Promise<Methods[K]["out"]>;
};
