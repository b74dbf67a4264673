import { fetch, type Response, type Transport } from "wreq-js";
import type { Deadline } from "./deadline.ts";
import type { HeaderPair, Hop } from "./hop.ts";
import { letGo } from "./let-go.ts";
import type { Salvage } from "./salvage.ts";
import { wireFailure } from "./wire-failure.ts";

/** One answer on the wire, before anyone decided what of it the caller sees. */
export interface Answer {
  readonly status: number;
  /** Without Set-Cookie. */
  readonly headers: readonly HeaderPair[];
  /** Each by itself: joined by commas they could not be told apart. */
  readonly setCookies: readonly string[];
  readonly unreadCookies: readonly string[];
  /** There is no body to wait for. */
  readonly isEmpty: boolean;
  /** The body as it arrives; ending early ends the transfer. */
  body(): AsyncGenerator<Uint8Array, void>;
  /** Lets go of the connection without reading. */
  cancel(): Promise<void>;
}

/** Sends one request as it is: no redirect followed, no cookie kept, no header added. */
export async function exchange(
  transport: Transport,
  hop: Omit<Hop, "site">,
  { deadline, salvage }: { deadline: Deadline; salvage: Salvage | undefined },
): Promise<Answer> {
  const { method, url, headers, body } = hop;
  let response: Response;
  try {
    deadline.signal.throwIfAborted();
    response = await fetch(url.href, {
      transport,
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      ...(body === undefined ? {} : { body }),
      ...(salvage === undefined ? {} : { sessionId: salvage.sessionId, cookieMode: "session" }),
      redirect: "manual",
      disableDefaultHeaders: true,
      signal: deadline.signal,
      // Ends a read that is under way, which cancelling cannot.
      timeout: deadline.remainingMs(),
    });
  } catch (error) {
    throw wireFailure(deadline.signal.aborted ? deadline.signal.reason : error, url);
  }
  const setCookies = response.headers.getSetCookie();
  const { body: stream } = response;
  return {
    status: response.status,
    headers: response.headers.toTuples().filter(([name]) => name.toLowerCase() !== "set-cookie"),
    setCookies,
    unreadCookies: unread(Object.keys(response.cookies), setCookies),
    isEmpty: stream === null,
    body: () => chunks(stream, url, deadline),
    async cancel() {
      if (stream === null || stream.locked) return;
      await stream.cancel().catch(() => undefined);
      letGo();
    },
  };
}

type Stream = Response["body"];

async function* chunks(stream: Stream, url: URL, deadline: Deadline): AsyncGenerator<Uint8Array, void> {
  if (stream === null) return;
  const reader = stream.getReader();
  let ended = false;
  try {
    while (!ended) {
      const { done, value } = await deadline.race(reader.read());
      if (value !== undefined) yield value;
      ended = done;
    }
  } catch (error) {
    throw wireFailure(error, url);
  } finally {
    if (!ended) {
      // The transport's own signal ends with the headers; from then on only this stops it.
      await reader.cancel().catch(() => undefined);
      letGo();
    }
  }
}

/** The transport reads every cookie's name, but leaves out headers beyond ASCII. */
function unread(names: readonly string[], setCookies: readonly string[]): string[] {
  if (names.length === 0) return [];
  const read = new Set(setCookies.map((header) => /^[^=;]*/.exec(header)?.[0].trim()));
  return names.filter((name) => !read.has(name));
}
