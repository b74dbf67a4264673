import type { HeaderPair } from "./hop.ts";

/** What a run gets back: without Set-Cookie, with the lease's secrets masked. */
export interface InResponse {
  readonly status: number;
  /** Where the last hop went. */
  readonly url: string;
  readonly headers: readonly HeaderPair[];
  /** Decompressed. It can be read once; leaving the loop early ends the transfer. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Names of cookies that were set but could not be read: the transport passes on ASCII headers only. */
  readonly unreadCookies: readonly string[];
}
