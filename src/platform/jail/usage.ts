import { readdirSync, readFileSync, statfsSync } from "node:fs";

export interface Usage {
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly tasks: number;
}

/**
 * What the descendants of a process use, from /proc. Every process of a jail descends from its process 1: orphans
 * are given to it. Threads are looked through only where they may have children. Counting ends where it is too much:
 * what multiplies faster than it is counted would never be counted.
 */
export function usageBelow(root: number, mayFork: boolean, enough: Usage): Usage {
  let memoryBytes = 0;
  let tasks = 0;
  const waiting = childrenOf(root, false);
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const own = usageOf(pid);
    if (own === undefined) continue;
    memoryBytes += own.memoryBytes;
    tasks += own.tasks;
    if (mayFork) waiting.push(...childrenOf(pid, own.tasks > 1));
    const found = tasks + waiting.length;
    if (memoryBytes > enough.memoryBytes || found > enough.tasks) return { memoryBytes, tasks: found };
  }
  return { memoryBytes, tasks };
}

/** Page tables count: touching one page in many places fills them and nothing else. */
const COUNTED = /^(?:RssAnon|RssShmem|VmSwap|VmPTE):\s+(\d+) kB$/gm;

function usageOf(pid: number): Usage | undefined {
  const status = readProc(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  let kilobytes = 0;
  for (const [, amount] of status.matchAll(COUNTED)) kilobytes += Number(amount);
  return { memoryBytes: kilobytes * 1024, tasks: Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1] ?? 1) };
}

const BYTES_PER_INODE = 1024;

/** A file system in memory: what is in its files, and its empty ones, of which tmpfs allows millions. */
export function memoryOfFiles(folder: string): number {
  try {
    const { bsize, blocks, bfree, files, ffree } = statfsSync(folder);
    return (blocks - bfree) * bsize + (files - ffree) * BYTES_PER_INODE;
  } catch {
    return 0; // not mounted yet, or gone
  }
}

function childrenOf(pid: number, allThreads: boolean): number[] {
  const threads = allThreads ? listThreads(pid) : [String(pid)];
  return threads
    .flatMap((thread) => (readProc(`/proc/${pid}/task/${thread}/children`) ?? "").split(" "))
    .filter((child) => child !== "")
    .map(Number);
}

function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // it ended
  }
}
