import type { Clock } from "../kernel/index.ts";
import { AddressBook, type ResolveAddresses } from "./address-book.ts";
import { checkRequest } from "./check-request.ts";
import { Deadline } from "./deadline.ts";
import type { Answer } from "./exchange.ts";
import type { HeaderPair } from "./hop.ts";
import type { InResponse } from "./in-response.ts";
import type { Lease } from "./lease.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { Mask } from "./mask.ts";
import type { OutRequest } from "./out-request.ts";
import { type Profile, type ProfileName, profileOf } from "./profile.ts";
import { limited } from "./read-body.ts";
import { sendRequest } from "./send-request.ts";
import type { Trace } from "./trace.ts";
import type { TransportPool } from "./transport-pool.ts";
import type { Watch } from "./watch.ts";

export interface HttpOptions {
  readonly pool: Pick<TransportPool, "lend">;
  readonly clock: Clock;
  readonly resolveAddresses: ResolveAddresses;
  /** The owner's addresses for names, from config.yaml: the only way a name may lead to a private address. */
  readonly overrides?: Readonly<Record<string, readonly string[]>>;
  readonly limits?: Partial<Limits>;
  readonly watch?: Watch;
}

export interface Http {
  /** Sends a request with what the lease lends, redirects and all. An answer of any status is an answer. */
  send(lease: Lease, request: OutRequest, signal?: AbortSignal, trace?: Trace): Promise<InResponse>;
}

export function createHttp({
  pool,
  clock,
  resolveAddresses,
  overrides = {},
  watch,
  ...options
}: HttpOptions): Http {
  const limits = { ...defaultLimits, ...options.limits };
  const book = new AddressBook({ resolve: resolveAddresses, overrides, clock });
  const profiles = new Map<ProfileName, Profile>();
  /** A loan that sends twice, or a login lent again, has the same secrets: their many forms are made once. */
  const masks = new WeakMap<Lease["secrets"], Mask>();

  return {
    async send(lease, request, signal, trace) {
      const name = request.ua ?? "chrome-desktop";
      const profile = profiles.getOrInsertComputed(name, profileOf);
      const first = checkRequest(request, lease.baseUrl, limits);
      const { secrets, written = [] } = lease;
      const mask =
        written.length > 0
          ? new Mask(secrets, written)
          : masks.getOrInsertComputed(secrets, () => new Mask(secrets));
      const deadline = new Deadline(signal, Math.min(request.timeoutMs ?? limits.totalMs, limits.longestMs));
      try {
        const call = { lease, request, first, profile, mask, limits, pool, book, deadline, trace, watch };
        const { answer, url } = await sendRequest(call);
        const maxBytes = Math.min(request.maxBytes ?? limits.responseBytes, limits.responseBytes);
        return shown(answer, url, { mask, deadline, maxBytes, watch });
      } catch (error) {
        deadline[Symbol.dispose]();
        throw error;
      }
    },
  };
}

interface Showing {
  readonly mask: Mask;
  readonly deadline: Deadline;
  readonly maxBytes: number;
  readonly watch: Watch | undefined;
}

function shown(answer: Answer, url: URL, showing: Showing): InResponse {
  const { mask, deadline } = showing;
  // A masked body is not as long as the server said.
  const kept = answer.headers.filter(([name]) => mask.isEmpty || name.toLowerCase() !== "content-length");
  // One look at everything: most answers echo nothing.
  const echoes = mask.finds([url.href, ...kept.map(([, value]) => value)].join("\n"));
  const masked = (text: string) => (echoes ? mask.text(text) : text);
  if (answer.isEmpty) deadline[Symbol.dispose]();
  else deadline.signal.addEventListener("abort", () => void answer.cancel(), { once: true });
  return {
    status: answer.status,
    url: echoes ? mask.url(url) : url.href,
    headers: kept.map(([name, value]): HeaderPair => [name, masked(value)]),
    body: shownBody(answer, showing),
    unreadCookies: answer.unreadCookies,
  };
}

async function* shownBody(
  answer: Answer,
  { mask, deadline, maxBytes, watch }: Showing,
): AsyncGenerator<Uint8Array, void> {
  try {
    const body = limited(answer.body(), maxBytes);
    yield* mask.bytes(watch === undefined ? body : counted(body, watch));
  } finally {
    deadline[Symbol.dispose]();
  }
}

async function* counted(body: AsyncIterable<Uint8Array>, watch: Watch): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of body) {
    watch.received(chunk.length);
    yield chunk;
  }
}
