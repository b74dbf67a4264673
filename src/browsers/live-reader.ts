import { type CdpConnection, connectCdp, getCookies } from "../cdp/index.ts";
import { type Cookie, cookiesFromCdp } from "../cookies/index.ts";
import { type Clock, DeputyError } from "../kernel/index.ts";
import type { CookieReader, ReadResult } from "./cookie-reader.ts";
import { isWanted, rowFilter } from "./host-keys.ts";
import { labelled } from "./label.ts";
import { summaryOf } from "./summary-of.ts";
import { cookieWarning, type ReadWarning, warningCodes } from "./warning.ts";

interface LiveReaderOptions {
  /** `http://127.0.0.1:9222`, the `ws://` address the browser printed, or a connection that is kept open by others. */
  readonly endpoint: string | CdpConnection;
  readonly clock: Clock;
}

const PATIENCE_MS = 10_000;

/**
 * The cookies of a running browser as it holds them in memory, sealed by nobody. The protocol does not tell when a
 * cookie was made: the time of reading stands for it.
 */
export function createLiveReader({ endpoint, clock }: LiveReaderOptions): CookieReader {
  let reads = 0;

  async function ask(): Promise<unknown[]> {
    if (typeof endpoint !== "string") return getCookies(endpoint);
    const connection = await connectCdp(endpoint, { timeoutMs: PATIENCE_MS });
    try {
      return await getCookies(connection);
    } finally {
      await connection.close();
    }
  }

  const reader: CookieReader = {
    // What a browser holds in memory has no stamp: it must be asked each time.
    async stamp() {
      return `live ${clock.now()} ${++reads}`;
    },

    summary: async () => summaryOf(await reader.read(), clock.now()),

    async read(query = {}): Promise<ReadResult> {
      const filter = rowFilter(query);
      let answer: unknown[];
      try {
        answer = await ask();
      } catch (error) {
        if (!(error instanceof DeputyError)) throw error;
        const message = `${warningCodes.BROWSER_UNREACHABLE}: ${error.message}`;
        return { cookies: [], warnings: [{ code: "BROWSER_UNREACHABLE", message }] };
      }
      const now = clock.now();
      const { cookies, malformed } = parse(answer, now);
      const wanted = cookies.filter(({ domain, hostOnly }) =>
        isWanted(filter, hostOnly ? domain : `.${domain}`),
      );
      const labels = labelled(wanted, { now });
      const warnings: ReadWarning[] = malformed.length > 0 ? [cookieWarning("MALFORMED", malformed)] : [];
      return { cookies: labels.cookies, warnings: [...warnings, ...labels.warnings] };
    },
  };
  return reader;
}

function parse(answer: readonly unknown[], now: number) {
  const cookies: Cookie[] = [];
  const malformed: { domain: string; name: string }[] = [];
  for (const one of answer) {
    try {
      cookies.push(...cookiesFromCdp([one], { now }));
    } catch (error) {
      if (!(error instanceof DeputyError)) throw error;
      const { domain, name } = (one ?? {}) as { domain?: unknown; name?: unknown };
      malformed.push({
        domain: typeof domain === "string" ? domain.replace(/^\./, "").slice(0, 253) : "",
        name: typeof name === "string" ? name.slice(0, 100) : "",
      });
    }
  }
  return { cookies, malformed };
}
