import { DeputyError } from "../../kernel/index.ts";
import type { Execution } from "../run/execution.ts";

const LONGER = "Try again, or ask for less at once. Its author may give it longer: timeout, in the manifest.";

/**
 * Runs work that is cancelled when its time is up. Whatever the work throws then, its caller is told that it took too
 * long; work that does not listen is left behind, not waited for.
 */
export async function withDeadline<T>(
  execution: Execution,
  { ms, what }: { readonly ms: number; readonly what: string },
  work: (execution: Execution) => Promise<T>,
): Promise<T> {
  const { signal } = execution;
  const own = new AbortController();
  const { promise: given, reject } = Promise.withResolvers<never>();
  const stop = (error: DeputyError) => {
    reject(error);
    own.abort(error);
  };
  const timer = setTimeout(
    () => stop(new DeputyError("TIMEOUT", `${what} took longer than ${ms / 1000} s`, { hint: LONGER })),
    Math.min(ms, 2 ** 31 - 1),
  );
  const onAbort = () => stop(new DeputyError("CANCELLED", `${what} was cancelled`));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([
      given,
      own.signal.aborted ? given : work({ ...execution, signal: own.signal }),
    ]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
