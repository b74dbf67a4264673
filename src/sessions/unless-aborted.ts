import { DeputyError } from "../kernel/index.ts";

/** Work that is waited for no longer than somebody wants it. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const give = () => reject(new DeputyError("CANCELLED", "It was given up"));
  if (signal.aborted) give();
  signal.addEventListener("abort", give, { once: true });
  work.catch(() => {}); // nobody may be waiting when it fails
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", give);
  }
}
