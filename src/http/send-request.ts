import { cookieHeader } from "../cookies/index.ts";
import { DeputyError } from "../kernel/index.ts";
import type { AddressBook } from "./address-book.ts";
import type { Deadline } from "./deadline.ts";
import { dressHop } from "./dress-hop.ts";
import { Egress, type Passage } from "./egress.ts";
import { type Answer, exchange } from "./exchange.ts";
import type { Hop } from "./hop.ts";
import { keepCookies } from "./keep-cookies.ts";
import type { Lease } from "./lease.ts";
import type { Limits } from "./limits.ts";
import type { Mask } from "./mask.ts";
import type { OutRequest } from "./out-request.ts";
import type { Profile } from "./profile.ts";
import { redirected } from "./redirect.ts";
import { Salvage } from "./salvage.ts";
import { type Trace, traceHop } from "./trace.ts";
import type { TransportPool } from "./transport-pool.ts";
import type { Watch } from "./watch.ts";

/** All that one call needs, decided before anything is sent. */
export interface Call {
  readonly lease: Lease;
  readonly request: OutRequest;
  readonly first: Hop;
  readonly profile: Profile;
  readonly mask: Mask;
  readonly limits: Limits;
  readonly pool: Pick<TransportPool, "lend">;
  readonly book: AddressBook;
  readonly deadline: Deadline;
  readonly trace: Trace | undefined;
  readonly watch: Watch | undefined;
}

/**
 * Follows redirects here rather than in the transport, so that each hop is asked anew where it may go and what it may
 * carry, and each hop's cookies meet the jar with their own URL.
 */
export async function sendRequest(call: Call): Promise<{ answer: Answer; url: URL }> {
  const { lease, request, limits, mask } = call;
  const egress = new Egress(lease);
  let hop = call.first;
  let passage = egress.passage(hop.url);
  for (let count = 0; ; count++) {
    const { answer, site } = await sendHop(call, hop, passage);
    try {
      if (takesCookies(call, passage)) await keepCookies(lease, answer.setCookies, hop.url);
      const next = redirected({ ...hop, site }, answer);
      if (next === undefined || request.redirect === "manual") return { answer, url: hop.url };
      if (request.redirect === "error") throw cannotFollow(hop.url, "the request forbids redirects");
      if (count === limits.redirects)
        throw cannotFollow(hop.url, `it redirects more than ${limits.redirects} times`);
      passage = egress.passage(next.url);
      if (lease.credential !== null && !passage.credential && mask.finds(next.url.href)) {
        throw new DeputyError("DENIED", `Cannot follow ${hop.url.host}: it would pass the credential on`, {
          hint: "If the service means it, list the host it redirects to under `hosts:` of the connection.",
        });
      }
      hop = next;
    } catch (error) {
      await answer.cancel();
      throw error;
    }
    await answer.cancel();
  }
}

async function sendHop(
  call: Call,
  hop: Hop,
  passage: Passage,
): Promise<{ answer: Answer; site: Hop["site"] }> {
  const { lease, request, profile, book, pool, deadline } = call;
  const { identity, baseUrl } = lease;
  const host = hop.url.hostname;
  const addresses = await deadline.race(book.addressesOf(host, baseUrl?.hostname === host));
  const http2 = request.http2 !== false && hop.url.protocol === "https:";
  const transport = await pool.lend({ identity, profile, alpn: http2 ? "h2" : "h1", host, addresses });

  const carrying = withCredential(call, withCookies(call, hop, passage), passage);
  const dressed = dressHop(carrying, request.mode ?? lease.mode, profile, { page: baseUrl, http2 });
  using salvage = takesCookies(call, passage) ? new Salvage() : undefined;
  call.watch?.contact(hop.url.host, hop.method);
  try {
    const answer = await exchange(transport, dressed, { deadline, salvage });
    call.watch?.answered(answer.status);
    if (call.trace !== undefined) traceHop(call.trace, dressed, answer, call.mask);
    return { answer, site: dressed.site };
  } catch (error) {
    if (salvage !== undefined) await keepCookies(lease, salvagedCookies(lease, salvage, hop.url), hop.url);
    if (error instanceof DeputyError && error.code === "NETWORK_FAILED") book.forget(host);
    throw error;
  }
}

function salvagedCookies({ jar }: Lease, salvage: Salvage, url: URL): string[] {
  const known = jar?.cookiesFor(url) ?? [];
  const shared = known.filter(({ hostOnly, domain }) => !hostOnly && domain === url.hostname);
  return salvage.setCookies(url.hostname, (name) => shared.some((cookie) => cookie.name === name));
}

function takesCookies({ lease, request }: Call, passage: Passage): boolean {
  return (
    lease.jar !== null && passage.cookies && (request.mode ?? lease.mode) !== "api" && request.jar !== "none"
  );
}

function withCookies(call: Call, hop: Hop, passage: Passage): Hop {
  const { lease, request } = call;
  const given = hop.headers.some(([name]) => name.toLowerCase() === "cookie");
  if (lease.jar === null || given || !takesCookies(call, passage)) return hop;
  const skipped = new Set(request.skipCookies);
  const cookies = lease.jar.cookiesFor(hop.url).filter(({ name }) => !skipped.has(name));
  return cookies.length === 0
    ? hop
    : { ...hop, headers: [...hop.headers, ["Cookie", cookieHeader(cookies)]] };
}

function withCredential({ lease }: Call, hop: Hop, passage: Passage): Hop {
  if (lease.credential === null || !passage.credential) return hop;
  const applied = lease.credential.apply(hop);
  if (applied.url.origin !== hop.url.origin) throw new TypeError("A credential cannot move a request");
  return applied;
}

function cannotFollow(url: URL, why: string): DeputyError {
  return new DeputyError("PROTOCOL", `Cannot follow ${url.host}: ${why}`);
}
