import type { Capture } from "../../sessions/index.ts";

export type CaptureAnswer = Capture;

export interface CaptureInput {
  readonly url: string;
  /** In a session of the caller's; default: an empty one, for this alone. */
  readonly session?: string;
  /** In a browser that runs, at this address. */
  readonly cdp?: string;
  /** Only addresses that fit: any part for *, anything for **. */
  readonly pattern?: string;
  /** How long the page is watched once it is loaded, and again after an action. */
  readonly wait_ms?: number;
  readonly reveal?: boolean;
  /** An element to click once the page is loaded, or a script to run. */
  readonly click?: string;
  readonly evaluate?: string;
  /** Where the page wants to go then is told, and not gone to. */
  readonly intercept_navigation?: boolean;
}

export interface CaptureMethods {
  "browse.capture": { in: CaptureInput; out: CaptureAnswer };
}
