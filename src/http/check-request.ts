import { DeputyError } from "../kernel/index.ts";
import type { HeaderPair, Hop } from "./hop.ts";
import type { Limits } from "./limits.ts";
import type { OutRequest } from "./out-request.ts";
import { targetUrl } from "./target-url.ts";

// RFC 9110 5.6.2: token.
const TOKEN = /^[!#$%&'*+\-.^_`|~\da-z]+$/i;
// Fetch standard, "forbidden method".
const FORBIDDEN_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);
// Fetch standard, "normalize a method"; PATCH is not in its list, and sent in lower case nobody answers it.
const NORMALIZED = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]);
/** Where the message ends and whom it is for are the transport's to say. */
const OF_THE_TRANSPORT = new Set(
  "host connection content-length transfer-encoding te trailer upgrade keep-alive expect".split(" "),
);

/** The first hop of a request, checked by itself: nothing in it can end a header, name another host or be too large. */
export function checkRequest(request: OutRequest, base: URL | null, limits: Limits): Hop {
  const method = NORMALIZED.has(request.method.toUpperCase()) ? request.method.toUpperCase() : request.method;
  if (!TOKEN.test(method) || FORBIDDEN_METHODS.has(method.toUpperCase()))
    throw refused("its method is not usable");
  const { body } = request;
  if (body !== undefined && (method === "GET" || method === "HEAD")) throw refused(`${method} has no body`);
  if (body !== undefined && body.length > limits.uploadBytes) {
    throw new DeputyError(
      "TOO_LARGE",
      `Cannot send ${body.length} bytes: at most ${limits.uploadBytes} are sent`,
      { hint: "Send it in parts, if the service takes them." },
    );
  }
  for (const header of request.headers) checkHeader(header);
  // Not `<= 0`: nothing is smaller than NaN, and no limit would hold.
  if (!((request.timeoutMs ?? 1) > 0)) throw refused("its time limit is not a positive number");
  if (!((request.maxBytes ?? 1) > 0)) throw refused("its size limit is not a positive number");
  return {
    method,
    url: targetUrl(request.url, base),
    headers: request.headers,
    body,
    site: "none",
  };
}

function checkHeader([name, value]: HeaderPair): void {
  const lower = name.toLowerCase();
  if (!TOKEN.test(name)) throw refused("a header's name is not a token");
  if (OF_THE_TRANSPORT.has(lower) || lower.startsWith("proxy-"))
    throw refused(`${lower} is not for callers to set`);
  // RFC 9110 5.5: "Field values containing CR, LF, or NUL characters are invalid and dangerous".
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) throw refused(`${lower} contains a control character`);
}

function refused(why: string): DeputyError {
  return new DeputyError("BAD_INPUT", `Cannot send the request: ${why}`);
}
