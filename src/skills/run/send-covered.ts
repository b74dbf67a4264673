import type { Loan, SendOptions } from "../../auth/index.ts";
import type { InResponse, OutRequest } from "../../http/index.ts";
import { DeputyError } from "../../kernel/index.ts";

const REDIRECTS = 5;

/**
 * Sends a request that carries a login where it was written by hand: a header, a part of the body. Redirects are looked
 * at one by one, because a connection's cookies may go to hosts its values may not.
 */
export async function sendCovered(
  loan: Loan,
  request: OutRequest,
  options: SendOptions,
): Promise<InResponse> {
  const follows = (request.redirect ?? "follow") === "follow";
  let next: OutRequest = { ...request, ...(follows ? { redirect: "manual" } : {}) };
  for (let hops = 0; hops <= REDIRECTS; hops++) {
    const response = await loan.send(next, options);
    const location = response.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
    if (!follows || location === undefined || !isRedirect(response)) return response;
    for await (const _ of response.body) break; // lets go of the connection
    next = redirected(loan, next, response, location);
  }
  throw new DeputyError("PROTOCOL", "The service redirects without end");
}

function isRedirect({ status }: InResponse): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Fetch standard, HTTP-redirect fetch. */
function redirected(
  loan: Loan,
  request: OutRequest,
  { status, url }: InResponse,
  location: string,
): OutRequest {
  if (!URL.canParse(location, url))
    throw new DeputyError("PROTOCOL", "The service redirects to what is not a URL");
  const target = new URL(location, url);
  if (!loan.mayCarry(target.href)) {
    throw new DeputyError(
      "DENIED",
      `Cannot follow the redirect: the login may not be sent to ${target.host}`,
      {
        hint: "List the host under `hosts:` of the connection; the owner is asked again then.",
      },
    );
  }
  const keeps = status === 307 || status === 308 || /^(GET|HEAD)$/i.test(request.method);
  if (keeps) return { ...request, url: target.href };
  const { body: _, ...rest } = request;
  const headers = request.headers.filter(([name]) => !/^content-/i.test(name));
  return { ...rest, method: "GET", url: target.href, headers };
}
