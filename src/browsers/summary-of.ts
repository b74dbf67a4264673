import type { ReadResult, StoreSummary } from "./cookie-reader.ts";
import { hostCounts } from "./host-counts.ts";
import type { WarningCode } from "./warning.ts";

/** That a store is not there yet, or has more than was read, does not make it one that cannot be read. */
const STILL_READABLE: readonly WarningCode[] = ["STORE_MISSING", "STORE_TRUNCATED"];

/** What a whole read says about its store, for readers that cannot tell it for less. */
export function summaryOf({ cookies, warnings }: ReadResult, now: number): StoreSummary {
  const readable = warnings.every(({ code }) => {
    if (STILL_READABLE.includes(code)) return true;
    return !code.startsWith("STORE_") && code !== "BROWSER_UNREACHABLE";
  });
  return { cookies: cookies.length, hosts: hostCounts(cookies, now), readable, warnings };
}
