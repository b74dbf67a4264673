export type HeaderPair = readonly [name: string, value: string];

/** How the initiator of a request relates to where it goes: Fetch Metadata, Sec-Fetch-Site. */
export type Site = "none" | "same-origin" | "same-site" | "cross-site";

/** One request of a chain of redirects, as the caller wrote it: without cookies, credentials or a bundle. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly HeaderPair[];
  readonly body: Uint8Array | undefined;
  /** The furthest relation of the chain so far; it never comes closer again. */
  readonly site: Site;
}
