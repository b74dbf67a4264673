import type { Cookie } from "../cookies/index.ts";
import type { HostCount } from "./host-counts.ts";
import type { ReadWarning } from "./warning.ts";

/** Which cookies. All of them where both are absent. */
export interface CookieQuery {
  /** Those RFC 6265 would send to this host: its own and its parents' domain cookies, never a sibling's. */
  readonly host?: string;
  /** Those of this domain and of every domain below it, whoever they are sent to. */
  readonly under?: string;
}

/** What could be read, and what could not. Expired cookies are neither: the browser would not send them. */
export interface ReadResult {
  readonly cookies: Cookie[];
  readonly warnings: ReadWarning[];
}

export interface StoreSummary {
  /** How many the store holds, read or not. */
  readonly cookies: number;
  /** Where they are from: told also of those whose values cannot be opened. */
  readonly hosts: HostCount[];
  readonly readable: boolean;
  readonly warnings: ReadWarning[];
}

/**
 * One browser profile's cookies, as the browser holds them. Never writes to the profile, takes no lock and does
 * not throw because of what is in it: a store that is missing, damaged or hostile is a warning.
 */
export interface CookieReader {
  /** Cheap. Equal stamps mean that `read` would give the same again, but for what has expired. */
  stamp(): Promise<string>;
  /** For a list of profiles: never makes the system ask the owner for permission. */
  summary(): Promise<StoreSummary>;
  /** In the order they were created. */
  read(query?: CookieQuery): Promise<ReadResult>;
}
