import { loadLibc } from "./libc.ts";

export interface Hardening {
  readonly noCoreFiles: boolean;
  /** Other processes of this user can neither attach a debugger nor read our memory. Linux only. */
  readonly notDumpable: boolean;
}

const RLIMIT_CORE = 4; // the same on Linux and macOS
const PR_SET_DUMPABLE = 4; // linux/prctl.h

/** Keeps this process's memory, and so its keys, out of core files and out of other processes' reach. */
export function harden(): Hardening {
  const libc = loadLibc();
  if (libc === undefined) return { noCoreFiles: false, notDumpable: false };
  const noCoreFiles = libc.setrlimit(RLIMIT_CORE, coreLimit()) === 0;
  const notDumpable = libc.prctl?.(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n) === 0;
  return { noCoreFiles, notDumpable };
}

/**
 * Soft and hard: no file is that short. On Linux 1 instead of 0, the one value at which the kernel hands no dump to a
 * program either (core_pattern with a pipe), and to which a jail's own limit can be set below us.
 */
function coreLimit(): Buffer {
  const limit = Buffer.alloc(16);
  if (process.platform !== "linux") return limit;
  limit.writeBigUInt64LE(1n, 0);
  limit.writeBigUInt64LE(1n, 8);
  return limit;
}
