import type { HeaderPair } from "./hop.ts";
import type { Mode } from "./lease.ts";
import type { ProfileName } from "./profile.ts";

/** What a run asks for. No field names an identity, a connection, an address or a transport. */
export interface OutRequest {
  readonly method: string;
  /** Absolute, or relative to the lease's base_url. */
  readonly url: string;
  /** These win over the mode's bundle. */
  readonly headers: readonly HeaderPair[];
  readonly body?: Uint8Array;
  /** Instead of the lease's mode. */
  readonly mode?: Mode;
  /** No cookie is sent and none is kept. */
  readonly jar?: "none";
  /** Names of cookies that stay at home, as some switch a site into a form only scripts can read. */
  readonly skipCookies?: readonly string[];
  /** False speaks HTTP/1.1; by default HTTP/2 is offered. */
  readonly http2?: boolean;
  /** Which browser to be, in TLS and headers alike. */
  readonly ua?: ProfileName;
  /** For everything from the first connection to the last byte. */
  readonly timeoutMs?: number;
  /** The most the response's body may have, decompressed. */
  readonly maxBytes?: number;
  readonly redirect?: "follow" | "manual" | "error";
}
