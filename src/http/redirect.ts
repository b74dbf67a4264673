import { DeputyError } from "../kernel/index.ts";
import type { HeaderPair, Hop } from "./hop.ts";
import { urlRefusal } from "./target-url.ts";

// Fetch standard, "redirect status".
const STATUSES = new Set([301, 302, 303, 307, 308]);
// Fetch standard, "request-body-header name".
const OF_THE_BODY = new Set(["content-encoding", "content-language", "content-location", "content-type"]);
/** What a caller may have written for one origin and must not reach another. */
const OF_THE_ORIGIN = new Set(["authorization", "proxy-authorization", "cookie", "origin", "referer"]);

/** The hop an answer asks for, or undefined where it is no redirect. Fetch standard, HTTP-redirect fetch. */
export function redirected(
  hop: Hop,
  answer: { status: number; headers: readonly HeaderPair[] },
): Hop | undefined {
  const location = answer.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
  if (!STATUSES.has(answer.status) || location === undefined) return undefined;
  const url = follow(location, hop.url);

  const { status } = answer;
  // "status is 301 or 302 and request's method is `POST`", "status is 303 and request's method is not `GET` or `HEAD`".
  const becomesGet =
    ((status === 301 || status === 302) && hop.method === "POST") ||
    (status === 303 && hop.method !== "GET" && hop.method !== "HEAD");
  const leaves = url.origin !== hop.url.origin;
  const headers = hop.headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return !(becomesGet && OF_THE_BODY.has(lower)) && !(leaves && OF_THE_ORIGIN.has(lower));
  });
  return {
    ...hop,
    url,
    headers,
    method: becomesGet ? "GET" : hop.method,
    body: becomesGet ? undefined : hop.body,
  };
}

function follow(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href)) {
    throw new DeputyError("PROTOCOL", `Cannot follow ${from.host}: it redirects to what is not a URL`);
  }
  const url = new URL(location, from.href);
  const why = urlRefusal(url);
  if (why !== undefined)
    throw new DeputyError("DENIED", `Cannot follow ${from.host} where it redirects to: ${why}`);
  url.hash = "";
  return url;
}
