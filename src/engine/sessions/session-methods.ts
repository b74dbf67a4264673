import type { SessionActed, SessionActInput } from "./session-act-methods.ts";

/** What a session is cloned from: exactly one of the four. */
export interface SessionFrom {
  /** `DOMAIN` or `DOMAIN/ACCOUNT`. */
  readonly identity?: string;
  /** `BROWSER` or `BROWSER:PROFILE`. */
  readonly profile?: string;
  /** The name a state was saved under. */
  readonly saved?: string;
  readonly blank?: boolean;
}

export interface SessionOpenInput extends SessionFrom {
  /** Sets it apart from another session of the same source. */
  readonly name?: string;
  readonly url?: string;
  /** Hosts it is fenced to. */
  readonly allow?: readonly string[];
  /** What services renew returns to the vault. */
  readonly write_back?: boolean;
  /** And what they delete is deleted there. */
  readonly deletions?: boolean;
  /** A domain whose cookies, once a person has logged in there, become an account of the vault. */
  readonly adopt?: string;
  /** Values of HttpOnly cookies are not masked at the endpoint. */
  readonly expose?: boolean;
}

export interface SessionTab {
  readonly id: string;
  readonly url: string;
  readonly title: string;
}

export interface SessionRow {
  readonly id: string;
  readonly name: string;
  readonly agent: string;
  readonly source: string;
  readonly state: "opening" | "open" | "asleep" | "lost";
  readonly created_at: string;
  readonly used_at: string;
  readonly tabs: readonly SessionTab[];
  /** What was cloned, and what could not be. It has no values. */
  readonly report: {
    readonly cookies: { readonly cloned: number; readonly refused: readonly Refused[] };
    readonly logins: readonly {
      readonly domain: string;
      readonly cookies: number;
      readonly until: string | null;
    }[];
    readonly device_bound: readonly Refused[];
    readonly storage: {
      readonly waiting: number | null;
      readonly cloned: number;
      readonly lost: readonly {
        readonly origin: string;
        readonly where: string;
        readonly count: number;
        readonly reason: string;
      }[];
    };
    readonly warnings: readonly string[];
  };
}

interface Refused {
  readonly name: string;
  readonly domain: string;
  readonly reason: string;
}

interface Named {
  readonly session: string;
}

export interface SavedRow {
  readonly name: string;
  readonly agent: string;
  readonly source: string;
  readonly cookies: number;
  readonly origins: number;
  readonly saved_at: string;
}

export interface SessionMethods {
  "session.open": { in: SessionOpenInput; out: SessionRow };
  "session.tab": { in: Named & { readonly url?: string }; out: SessionTab };
  /** To the owner everybody's, to an agent its own. */
  "session.list": { in: Record<string, never>; out: readonly SessionRow[] };
  "session.dispose": { in: Named; out: { readonly disposed: string } };
  /** Until when it serves if it is not used. */
  "session.endpoint": { in: Named; out: { readonly url: string; readonly expires: string } };
  /** A picture of a tab; base64. */
  "session.view": {
    in: Named & { readonly tab?: string };
    out: { readonly png: string; readonly url: string; readonly title: string };
  };
  "session.act": { in: SessionActInput; out: SessionActed };
  "session.save": { in: Named & { readonly name: string }; out: SavedRow };
  "session.saved": { in: Record<string, never>; out: readonly SavedRow[] };
  "session.forget": { in: { readonly name: string }; out: { readonly forgotten: string } };
}
