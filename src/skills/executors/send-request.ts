import { isRefusal, type Loan, loginCommand, sessionExpired } from "../../auth/index.ts";
import type { InResponse, OutRequest } from "../../http/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Execution } from "../run/execution.ts";
import type { Carried } from "./carried-auth.ts";
import { sendCovered } from "../run/send-covered.ts";
import { nameOf } from "./evaluate.ts";
import { headerOf, LARGEST_ANSWER, readFailure } from "./service-answer.ts";

/** The most a request may ask for; the run's own time ends it sooner. */
const LONGEST_MS = 600_000;

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
  const out = { ...request, timeoutMs: LONGEST_MS, maxBytes: LARGEST_ANSWER };
  const options = { signal, alsoMask: carried.texts };
  const response = await (carried.any ? sendCovered(loan, out, options) : loan.send(out, options));
  if (response.status >= 400) throw await failure(execution, loan, response);
  return response;
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
