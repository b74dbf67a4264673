import { closeSync, openSync, readdirSync, readFileSync, readSync, statfsSync } from "node:fs";

export interface Usage {
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly tasks: number;
}

export const NOTHING: Usage = { memoryBytes: 0, tasks: 0 };

/**
 * What the descendants of a process use, from /proc. Every process of a jail descends from its process 1: orphans
 * are given to it. Counting ends where it is too much: what multiplies faster than it is counted would never be
 * counted.
 */
export function usageBelow(root: number, enough: Usage): Usage {
  let memoryBytes = 0;
  let tasks = 0;
  const waiting = childrenOf(root);
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const status = readProc(`/proc/${pid}/status`);
    if (status === undefined) continue;
    const own = parseStatus(status);
    memoryBytes += own.memoryBytes;
    tasks += own.tasks;
    waiting.push(...childrenOf(pid, own.tasks > 1));
    const found = tasks + waiting.length;
    if (memoryBytes > enough.memoryBytes || found > enough.tasks) return { memoryBytes, tasks: found };
  }
  return { memoryBytes, tasks };
}

const STATUS_BYTES = 4096;

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

/** Children belong to the thread that made them. */
export function childrenOf(pid: number, hasThreads = false): number[] {
  const threads = hasThreads ? listThreads(pid) : [String(pid)];
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
    return readFileSync(path, "latin1");
  } catch {
    return undefined; // it ended
  }
}
