import type { Attacker } from "./attacker.ts";
import type { BrowserParts, DemoBrowser } from "./browser/demo-browser.ts";
import type { Machine } from "./machine.ts";
import { SITE } from "./notes-site.ts";
import type { Stage } from "./stage.ts";

/** What a chapter is played with. `machine` is where the person sits. */
export interface Scene extends BrowserParts {
  readonly stage: Stage;
  readonly attacker: Attacker;
  /** Another machine of theirs. */
  readonly server: Machine;
  /** With what Ada signed in, once she has. */
  browser: DemoBrowser | undefined;
}

export const ADA = `${SITE}/ada`;
export const GRACE = `${SITE}/grace`;

/** Whether an answer has notes of that account, and of nobody else: each note's id begins with whose it is. */
export function hasNotesOf(account: "ada" | "grace", answer: string): boolean {
  const other = account === "ada" ? "grace" : "ada";
  return answer.includes(`${account}-1`) && answer.includes(`${account}-2`) && !answer.includes(`${other}-`);
}
