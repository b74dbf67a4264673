import { statSync } from "node:fs";

/** Linux stamps files by its clock tick, at most 10 ms: a younger change may hide another one. */
const SETTLED_MS = 20;

export interface FileState {
  readonly stamp: string;
  /** Which files they are, whatever is in them. */
  readonly inodes: string;
  readonly settled: boolean;
  /** Something waits in its -wal; in its -journal. */
  readonly wal: boolean;
  readonly journal: boolean;
  readonly shm: boolean;
}

export function fileState(path: string): FileState {
  const [main, wal, journal, shm] = ["", "-wal", "-journal", "-shm"].map((suffix) =>
    statSync(path + suffix, { bigint: true, throwIfNoEntry: false }),
  );
  const watched = [main, wal, journal];
  const newest = watched.reduce(
    (most, stat) => ((stat?.mtimeNs ?? 0n) > most ? (stat?.mtimeNs ?? 0n) : most),
    0n,
  );
  return {
    stamp: watched.map((stat) => (stat ? `${stat.ino}:${stat.size}:${stat.mtimeNs}` : "-")).join(" "),
    inodes: [...watched, shm].map((stat) => stat?.ino ?? "-").join(" "),
    // A time far ahead is a clock that was set back, not a write just now.
    settled: Math.abs(Date.now() - Number(newest / 1_000_000n)) >= SETTLED_MS,
    wal: (wal?.size ?? 0n) > 0n,
    journal: (journal?.size ?? 0n) > 0n,
    shm: shm !== undefined,
  };
}
