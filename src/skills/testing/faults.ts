import type { ResultWarningCode } from "../../graph/index.ts";

const FAULTS: readonly ResultWarningCode[] = ["UNKNOWN_SHAPE", "WRONG_TYPE", "WRONG_COUNT", "WRONG_SHAPE"];

/** A result that is not what the manifest says, rather than one that could be better. */
export function isFault(code: ResultWarningCode): boolean {
  return FAULTS.includes(code);
}
