import type { Denial, DenialLog } from "../../src/access/index.ts";

/** The latest denials, in memory. */
export function createDenialRing(size = 256): DenialLog & { recent(): readonly Denial[] } {
  const kept: Denial[] = [];
  return {
    recordDenial(denial) {
      kept.push(denial);
      if (kept.length > size) kept.shift();
    },
    recent: () => [...kept],
  };
}
