import type { Expressions, Program } from "../expressions/index.ts";
import { type Http, type Lease, readText } from "../http/index.ts";
import { DeputyError } from "../kernel/index.ts";
import { asJson } from "./as-json.ts";
import type { Check } from "./connection.ts";

export interface Who {
  readonly identifier: string | undefined;
  readonly display: string | undefined;
}

/** More than any answer about oneself, less than would hurt. */
const LARGEST_ANSWER = 1024 * 1024;
const PATIENCE_MS = 15_000;

/** Asks the service whose login a lease carries; `dead` when it does not take it. */
export async function askWho(
  parts: { readonly http: Http; readonly expressions: Expressions },
  check: Check,
  lease: Lease,
  signal?: AbortSignal,
): Promise<Who | "dead"> {
  const request = {
    method: "GET",
    url: check.url,
    headers: [["Accept", "application/json"]] as const,
    // A service that no longer knows us often sends us to its login page, and that page answers 200.
    redirect: "manual" as const,
    maxBytes: LARGEST_ANSWER,
    timeoutMs: PATIENCE_MS,
  };
  // Nothing is masked: the account's name may stand in its own token, and the answer goes no further.
  const response = await parts.http.send({ ...lease, secrets: [] }, request, signal);
  const body = await readText(response);
  if (response.status >= 500 || response.status === 429) {
    const { host } = new URL(response.url);
    throw new DeputyError("NETWORK_FAILED", `${host} cannot say now whose login this is`, {
      hint: `It answered ${response.status}. Try again later.`,
    });
  }
  if (response.status !== check.expectStatus) return "dead";
  if (check.identifier === null) return { identifier: undefined, display: undefined };
  const answer = asJson(body) ?? null;
  const identifier = await word(parts.expressions, check.identifier, answer);
  // `{}` or `{"user": null}` with status 200 is how many services answer a stranger.
  if (identifier === undefined) return "dead";
  // A check that says the same whatever the service answers would make everybody's login this account's.
  if ((await word(parts.expressions, check.identifier, {})) === identifier)
    return { identifier: undefined, display: undefined };
  const display = check.display === null ? undefined : await word(parts.expressions, check.display, answer);
  return { identifier, display };
}

async function word(
  expressions: Expressions,
  program: Program,
  answer: unknown,
): Promise<string | undefined> {
  if (answer === null) return undefined;
  const value = await expressions.run(program, answer).catch(() => null);
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
