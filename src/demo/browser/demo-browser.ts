import type { Machine } from "../machine.ts";
import type { NotesSite } from "../notes-site.ts";
import type { Programs } from "../programs.ts";

/** The two profiles of the demonstration: their names as the browser shows them. */
export type ProfileName = "Home" | "Work";

/** The browser a person of the demonstration signs in with. */
export interface DemoBrowser {
  /** As Deputy calls it. */
  readonly id: "chromium" | "firefox";
  /** How a sentence about signing in with it goes. */
  readonly words: string;
  /** False: there is none, and the profile was written as one would have left it. */
  readonly real: boolean;
  /** Where the cookies of a profile are. */
  store(profile: ProfileName): string;
  /** Signs in, in a profile of its own, and closes the browser. Whether that left a profile to look into. */
  signIn(account: string, profile: ProfileName): Promise<boolean>;
}

export interface BrowserParts {
  readonly machine: Machine;
  readonly site: NotesSite;
  readonly programs: Programs;
}
