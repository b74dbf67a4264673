import { closeSync, openSync, readdirSync, readSync, statfsSync } from "node:fs";

export interface Usage {
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly tasks: number;
}

const STATUS_BYTES = 4096;

export const NOTHING: Usage = { memoryBytes: 0, tasks: 0 };

/**
 * What the descendants of a process use, from /proc. Every process of a jail descends from its process 1: orphans
 * are given to it. Counting ends where it is too much: what multiplies faster than it is counted would never be
 * counted.
 */
export function usageBelow(root: number, enough: Usage): Usage {
  let memoryBytes = 0;
  let tasks = 0;
  const waiting = childrenOf(root, false, enough.tasks);
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const status = readProc(`/proc/${pid}/status`, STATUS_BYTES);
    if (status === undefined) continue;
    const own = parseStatus(status);
    memoryBytes += own.memoryBytes;
    tasks += own.tasks;
    const found = tasks + waiting.length;
    if (memoryBytes > enough.memoryBytes || found > enough.tasks) return { memoryBytes, tasks: found };
    waiting.push(...childrenOf(pid, own.tasks > 1, enough.tasks));
  }
  return { memoryBytes, tasks };
}

/** One process, looked at again and again: its status stays open, because opening is most of the cost. */
export class ProcessUsage implements Disposable {
  readonly #fd: number;
  readonly #buffer = Buffer.alloc(STATUS_BYTES);

  private constructor(fd: number) {
    this.#fd = fd;
  }

  static open(pid: number): ProcessUsage | undefined {
    try {
      return new ProcessUsage(openSync(`/proc/${pid}/status`, "r"));
    } catch {
      return undefined; // it ended
    }
  }

  read(): Usage {
    try {
      const length = readSync(this.#fd, this.#buffer, 0, STATUS_BYTES, 0);
      return parseStatus(this.#buffer.toString("latin1", 0, length));
    } catch {
      return NOTHING; // it ended
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

/** Page tables count: touching one page in many places fills them and nothing else. */
const COUNTED = /^(?:RssAnon|RssShmem|VmSwap|VmPTE):\s+(\d+) kB$/gm;

function parseStatus(status: string): Usage {
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
    return 0; // gone
  }
}

const BYTES_PER_PID = 8;

/**
 * At most so many, and a few more. Children belong to the thread that made them. The kernel holds up every fork and
 * exit while it writes this list, ever longer the longer it is, so it is never asked for all of a fork bomb.
 */
export function childrenOf(pid: number, hasThreads: boolean, most: number): number[] {
  const threads = hasThreads ? threadsOf(pid) : [String(pid)];
  const children: number[] = [];
  for (const thread of threads) {
    const list = readProc(`/proc/${pid}/task/${thread}/children`, (most + 2) * BYTES_PER_PID) ?? "";
    for (const child of list.split(" ")) if (child !== "") children.push(Number(child));
    if (children.length > most) break;
  }
  return children;
}

export function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

export function readProc(path: string, bytes: number): string | undefined {
  try {
    const fd = openSync(path, "r");
    try {
      const buffer = Buffer.allocUnsafe(bytes);
      return buffer.toString("latin1", 0, readSync(fd, buffer, 0, bytes, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined; // it ended
  }
}
