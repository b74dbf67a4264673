/** Two fixed loads that say how steady a machine is: one of computing, one of waiting for the disk. */
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { inTurns } from "./in-turns.ts";
import { least, median } from "./statistics.ts";

const BLOCK = Buffer.alloc(1 << 20, 1);
/** How much more than the least there was a middle may be, before the machine is called busy. */
const STEADY = { computing: 1.5, syncing: 3 };

export type Calibration = Record<keyof typeof STEADY, number[]>;

export async function calibrate(): Promise<Calibration> {
  using folder = temporaryFolder("calibrate");
  const file = openSync(join(folder.path, "file"), "w");
  try {
    return await inTurns(
      {
        computing: () => {
          for (let i = 0; i < 10; i++) createHash("sha256").update(BLOCK).digest();
        },
        syncing: () => {
          writeSync(file, BLOCK, 0, 4096, 0);
          fsyncSync(file);
        },
      },
      { rounds: 60, warmUp: 10, seconds: 3 },
    );
  } finally {
    closeSync(file);
  }
}

/** Why figures of a run between these two are of a busy machine; none where they are not. */
export function unsteady(start: Calibration, end: Calibration): string[] {
  return (["computing", "syncing"] as const).flatMap((load) => {
    const fastest = least([...start[load], ...end[load]]);
    const slowest = Math.max(median(start[load]), median(end[load]));
    if (slowest <= STEADY[load] * fastest) return [];
    return [`a fixed load of ${load} took ${slowest.toFixed(2)} ms, and ${fastest.toFixed(2)} ms at least`];
  });
}
