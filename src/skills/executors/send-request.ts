import { isRefusal, type Loan, loginCommand, sessionExpired } from "../../auth/index.ts";
import type { HeaderPair, InResponse, OutRequest } from "../../http/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Execution } from "../run/execution.ts";
import { type Carried, deniedCarrying } from "./carried-auth.ts";
import { nameOf } from "./evaluate.ts";
import { headerOf, LARGEST_ANSWER, readFailure } from "./service-answer.ts";

/** The most a request may ask for; the run's own time ends it sooner. */
const LONGEST_MS = 600_000;
const REDIRECTS = 5;

export function loanOf(execution: Execution): Loan {
  if (execution.loan !== null) return execution.loan;
  throw new DeputyError("BAD_INPUT", `${nameOf(execution)}: it has no connection to send a request with`, {
    hint: "Declare a connection with base_url, and name it as the operation's `connection`.",
  });
}

/**
 * Sends a request of a template. Its answer is a good one: everything else is thrown. Where the template wrote the login
 * into it, each redirect is looked at, because a connection's cookies may go to hosts its values may not, and what it
 * wrote is masked in the answer.
 */
export async function sendRequest(
  execution: Execution,
  request: Omit<OutRequest, "timeoutMs" | "maxBytes" | "redirect">,
  carried: Carried,
): Promise<InResponse> {
  const loan = loanOf(execution);
  const { signal } = execution;
  const limits = { timeoutMs: LONGEST_MS, maxBytes: LARGEST_ANSWER };
  let next: OutRequest = { ...request, ...limits, ...(carried.any ? { redirect: "manual" } : {}) };
  for (let hops = 0; hops <= REDIRECTS; hops++) {
    const response = await loan.send(next, { signal, alsoMask: carried.texts });
    const location = carried.any && isRedirect(response) ? headerOf(response, "location") : undefined;
    if (location === undefined) {
      if (response.status >= 400) throw await failure(execution, loan, response);
      return response;
    }
    for await (const _ of response.body) break; // lets go of the connection
    next = follow(execution, next, response, location);
  }
  throw new DeputyError("SKILL_FAILED", `${nameOf(execution)}: the service redirects without end`);
}

function isRedirect({ status }: InResponse): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Fetch standard, HTTP-redirect fetch. */
function follow(
  execution: Execution,
  request: OutRequest,
  { status, url }: InResponse,
  location: string,
): OutRequest {
  if (!URL.canParse(location, url))
    throw new DeputyError("PROTOCOL", `${nameOf(execution)}: the service redirects to what is not a URL`);
  const target = new URL(location, url);
  if (!loanOf(execution).mayCarry(target.href)) throw deniedCarrying(execution, target.host);
  const keeps = status === 307 || status === 308 || request.method === "GET" || request.method === "HEAD";
  if (keeps) return { ...request, url: target.href };
  const { body: _, ...rest } = request;
  const headers = request.headers.filter(([name]: HeaderPair) => !/^content-/i.test(name));
  return { ...rest, method: "GET", url: target.href, headers };
}

async function failure(execution: Execution, loan: Loan, response: InResponse): Promise<DeputyError> {
  const { connection, identity } = loan;
  const said = await readFailure(response);
  if (isRefusal(response) && loan.refused && connection.auth !== null) {
    if (identity !== null) return sessionExpired(connection, said && new Error(said));
    return new DeputyError("LOGIN_NEEDED", `${nameOf(execution)}: ${connection.domain} asks for a login`, {
      hint: `Log in: ${loginCommand(connection)}`,
    });
  }
  const { host } = new URL(response.url);
  const message = `${nameOf(execution)}: ${host} answered ${response.status}`;
  return new DeputyError("SKILL_FAILED", said === undefined ? message : `${message}: ${said}`, {
    hint: hintOf(response),
  });
}

function hintOf(response: InResponse): string | undefined {
  const wait = headerOf(response, "retry-after");
  if (response.status !== 429 && response.status !== 503) return undefined;
  return wait !== undefined && /^\d{1,6}$/.test(wait)
    ? `The service asks to wait ${wait} s.`
    : "The service asks to try again later.";
}
