import { statSync } from "node:fs";

/** Linux stamps files by its clock tick, at most 10 ms: a younger change may hide another one. */
export const SETTLED_MS = 20;

/** A database of SQLite's with what lies beside it, as of one look. */
export interface DatabaseFiles {
  /** Equal stamps mean an unchanged database: inode, size and time of the file and of what is pending beside it. */
  readonly stamp: string;
  /** Which files they are, whatever is in them. */
  readonly inodes: string;
  readonly exists: boolean;
  /** Nobody put a pipe, a device or a folder in the place of one of them. */
  readonly isPlain: boolean;
  /** No change so young that another could hide behind it. */
  readonly settled: boolean;
  /** Something waits in its -wal; in its -journal. */
  readonly wal: boolean;
  readonly journal: boolean;
  readonly shm: boolean;
  /** Of the file and of what waits beside it. */
  readonly size: number;
}

export function lookAtDatabase(path: string): DatabaseFiles {
  const [main, wal, journal, shm] = ["", "-wal", "-journal", "-shm"].map((suffix) =>
    statSync(path + suffix, { bigint: true, throwIfNoEntry: false }),
  );
  const watched = [main, wal, journal];
  const there = watched.filter((stat) => stat !== undefined);
  const newest = there.reduce((most, { mtimeNs }) => (mtimeNs > most ? mtimeNs : most), 0n);
  return {
    stamp: watched.map((stat) => (stat ? `${stat.ino}:${stat.size}:${stat.mtimeNs}` : "-")).join(" "),
    inodes: [...watched, shm].map((stat) => stat?.ino ?? "-").join(" "),
    exists: main !== undefined,
    isPlain: there.every((stat) => stat.isFile()),
    // A time far ahead is a clock that was set back, not a write just now.
    settled: Math.abs(Date.now() - Number(newest / 1_000_000n)) >= SETTLED_MS,
    wal: (wal?.size ?? 0n) > 0n,
    journal: (journal?.size ?? 0n) > 0n,
    shm: shm !== undefined,
    size: Number(there.reduce((sum, { size }) => sum + size, 0n)),
  };
}
