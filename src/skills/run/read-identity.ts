import type { Loan } from "../../auth/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { RunDone } from "./run-request.ts";

/** Whose login it is by the account a `check_session` returns; `dead` where the service does not know it. */
export async function readIdentity(
  run: () => Promise<RunDone>,
  loan: Loan,
): Promise<{ readonly identifier: string | undefined } | "dead"> {
  try {
    const { data } = await run();
    const account: unknown = Array.isArray(data) ? data[0] : data;
    return account === null || account === undefined ? "dead" : { identifier: identifierOf(account) };
  } catch (error) {
    const expired = error instanceof DeputyError && error.code === "SESSION_EXPIRED";
    if (expired || (loan.refused && error instanceof DeputyError)) return "dead";
    throw error;
  }
}

function identifierOf(account: unknown): string | undefined {
  if (typeof account !== "object" || account === null) return undefined;
  const { identifier, id, handle, email } = account as Record<string, unknown>;
  const found = [identifier, id, email, handle].find(
    (value) => typeof value === "string" || typeof value === "number",
  );
  return found === undefined || found === "" ? undefined : String(found);
}
