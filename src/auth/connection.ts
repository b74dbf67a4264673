import type { Program } from "../expressions/index.ts";
import type { Mode } from "../http/index.ts";
import type { LoginWay } from "./connection-form.ts";

/**
 * A skill's declared way to reach a service. It holds no secret, and its name is a local label: what it may borrow is
 * kept under `domain`, so that two skills at one service share a login and a renamed one keeps it.
 */
export interface Connection {
  readonly skill: string;
  readonly name: string;
  /** The identity namespace: a registrable domain, an address, or the skill's own id. */
  readonly domain: string;
  readonly baseUrl: URL | null;
  readonly mode: Mode;
  /** Null: the service asks for no login. */
  readonly auth: Auth | null;
  /** Runs anonymously where there is no login. */
  readonly optional: boolean;
  readonly hosts: readonly string[] | "any";
  readonly label: string | null;
  readonly helpUrl: string | null;
  readonly description: string | null;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly sqlite: string | null;
}

export type Auth = KeyAuth | CookieAuth | OAuthAuth;

/** Where in a request a credential goes: a template over `.auth`. */
export interface Placement {
  readonly header: Program | null;
  readonly query: Program | null;
  readonly body: Program | null;
}

export interface KeyAuth {
  readonly type: "api_key";
  readonly placement: Placement;
  readonly check: Check | null;
}

export interface CookieAuth {
  readonly type: "cookies";
  /** A hint for choosing, never a filter. */
  readonly names: readonly string[];
  readonly check: Check | null;
  readonly login: readonly LoginWay[];
}

export interface OAuthAuth {
  readonly type: "oauth";
  readonly service: string | null;
  readonly scopes: readonly string[];
  readonly clientId: string | null;
  readonly authUrl: string | null;
  readonly tokenUrl: string | null;
  readonly deviceUrl: string | null;
  readonly authParams: Readonly<Record<string, string>>;
  /** Null: `Authorization: Bearer`. */
  readonly placement: Placement | null;
  readonly check: Check | null;
}

/** One request that tells whether a login works and whose it is. */
export interface Check {
  readonly url: string;
  readonly expectStatus: number;
  readonly identifier: Program | null;
  readonly display: Program | null;
}
