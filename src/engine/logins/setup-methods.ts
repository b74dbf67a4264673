import type { BrowserRow } from "../methods.ts";

/** A registrable domain the owner's browsers have cookies of: how many, never which. */
export interface FoundDomain {
  readonly domain: string;
  readonly cookies: number;
  /** Whether somebody is probably logged in there. */
  readonly login: boolean;
  /** Where they are: `chromium/Default`. */
  readonly profiles: readonly string[];
  /** The skills that came with Deputy and use a browser's login there. */
  readonly skills: readonly {
    readonly id: string;
    readonly name: string;
    readonly pin: string;
    /** Where the login, and what is read with it, could go. */
    readonly hosts: readonly string[];
    /** One that reads, with that login, and takes no parameter. */
    readonly operation: string | null;
  }[];
}

export interface SetupMethods {
  /** Those that look like logins first. `more`: domains left out of a list that would be endless. */
  "setup.logins": {
    in: Record<string, never>;
    out: {
      readonly profiles: readonly BrowserRow[];
      readonly domains: readonly FoundDomain[];
      readonly more: number;
    };
  };
}
