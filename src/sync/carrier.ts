import { request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { DeputyError } from "../kernel/index.ts";
import type { Road } from "./road.ts";

interface Posted {
  readonly status: number;
  readonly body: Buffer;
}

interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal?: AbortSignal | undefined;
  readonly road?: Road | undefined;
}

/** More than any answer has. */
const LARGEST_ANSWER = 4 * 1024 * 1024;
const PATIENCE_MS = 60_000;

/** Carries bytes to a peer and its answer back. It is believed in nothing: what matters is sealed before it gets here. */
export async function post(url: URL, message: Post): Promise<Posted> {
  try {
    return await attempt(url, message);
  } catch (error) {
    // A connection kept from before may have been closed at the other end meanwhile.
    if (!(error instanceof StaleConnection)) throw error;
    return attempt(url, message);
  }
}

class StaleConnection extends Error {}

function attempt(url: URL, { headers, body, signal, road }: Post): Promise<Posted> {
  const { promise, resolve, reject } = Promise.withResolvers<Posted>();
  const secure = url.protocol === "https:";
  const send = secure ? overHttps : overHttp;
  const outgoing = send(
    url,
    {
      method: "POST",
      headers: { ...headers, "content-length": body.length },
      timeout: PATIENCE_MS,
      ...(signal === undefined ? {} : { signal }),
      ...(road === undefined ? {} : { lookup: road.lookup }),
      ...(secure && road?.agent !== undefined ? { agent: road.agent } : {}),
    },
    (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > LARGEST_ANSWER) outgoing.destroy(new Error("the answer is too long"));
        else chunks.push(chunk);
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }));
      answer.on("error", (error) => reject(failure(url, error, signal)));
    },
  );
  outgoing.on("timeout", () => outgoing.destroy(new Error("no answer")));
  outgoing.on("error", (error) => {
    const stale = outgoing.reusedSocket && "code" in error && error.code === "ECONNRESET";
    reject(stale ? new StaleConnection() : failure(url, error, signal));
  });
  outgoing.end(body);
  return promise;
}

export async function postJson(
  url: URL,
  message: object,
  how: Pick<Post, "signal" | "road"> = {},
): Promise<{ status: number; body: unknown }> {
  const headers = { "content-type": "application/json" };
  const answer = await post(url, { headers, body: Buffer.from(JSON.stringify(message)), ...how });
  try {
    return { status: answer.status, body: JSON.parse(answer.body.toString()) };
  } catch {
    return { status: answer.status, body: undefined };
  }
}

function failure(url: URL, error: Error, signal: AbortSignal | undefined): DeputyError {
  if (signal?.aborted === true) return new DeputyError("CANCELLED", "It was cancelled");
  const code = "code" in error && typeof error.code === "string" ? error.code : error.message;
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code)) {
    return new DeputyError("NETWORK_FAILED", `${url.origin} is not who its certificate says (${code})`, {
      hint: "A private authority's root can be added under `roots:` in config.yaml",
      cause: error,
    });
  }
  return new DeputyError("NETWORK_FAILED", `Cannot reach ${url.origin} (${code})`, {
    hint: "Is the other machine on, and Deputy waiting there? deputy sink, or deputy pair.",
    cause: error,
  });
}
