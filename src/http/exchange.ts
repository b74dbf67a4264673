import { fetch, type Response, type Transport } from "wreq-js";
import type { Deadline } from "./deadline.ts";
import type { HeaderPair, Hop } from "./hop.ts";
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
  deadline: Deadline,
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
      redirect: "manual",
      disableDefaultHeaders: true,
      signal: deadline.signal,
      timeout: 0,
    });
  } catch (error) {
    throw wireFailure(deadline.signal.aborted ? deadline.signal.reason : error, url);
  }
  const setCookies = response.headers.getSetCookie();
  const cancel = async () => {
    if (!response.bodyUsed) await response.body?.cancel().catch(() => undefined);
  };
  return {
    status: response.status,
    headers: response.headers.toTuples().filter(([name]) => name.toLowerCase() !== "set-cookie"),
    setCookies,
    unreadCookies: unread(Object.keys(response.cookies), setCookies),
    isEmpty: response.body === null,
    body: () => chunks(response, url, deadline),
    cancel,
  };
}

async function* chunks(response: Response, url: URL, deadline: Deadline): AsyncGenerator<Uint8Array, void> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    while (true) {
      const { done, value } = await deadline.race(reader.read());
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw wireFailure(error, url);
  } finally {
    // The transport's own signal ends with the headers; from then on only this stops it.
    await reader.cancel().catch(() => undefined);
  }
}

/** The transport reads every cookie's name, but leaves out headers beyond ASCII. */
function unread(names: readonly string[], setCookies: readonly string[]): string[] {
  if (names.length === 0) return [];
  const read = new Set(setCookies.map((header) => /^[^=;]*/.exec(header)?.[0].trim()));
  return names.filter((name) => !read.has(name));
}
