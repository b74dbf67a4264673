import { setTimeout as sleep } from "node:timers/promises";

/** What the work comes to, or undefined once the time is over. Nothing is left waiting. */
export async function within<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T | undefined> {
  const done = new AbortController();
  try {
    return await Promise.race([
      work,
      sleep(ms, undefined, { signal: AbortSignal.any([signal, done.signal]) }),
    ]);
  } finally {
    done.abort();
  }
}
