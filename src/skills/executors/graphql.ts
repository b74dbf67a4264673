import { sessionExpired } from "../../auth/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { GraphqlExecutor } from "../executor.ts";
import type { Execution } from "../run/execution.ts";
import { checkCarrying } from "./carried-auth.ts";
import { asObject, asText, evaluateAll, isObject, nameOf } from "./evaluate.ts";
import { headerPairs, withType } from "./rest.ts";
import { loanOf, sendRequest } from "./send-request.ts";
import { oneLine, readAnswer } from "./service-answer.ts";

/** How servers name a login they do not take; the second is Apollo's, the others are seen in the wild. */
const UNAUTHENTICATED = /^(unauthenticated|unauthorized|invalid_token|authentication_error)$/i;

const ASK =
  "These are the service's own words. If they are about what was asked for, ask for something else.";

/** A question to a GraphQL service; the result is its `data`. GraphQL over HTTP says what goes wrong in a 200 as well. */
export async function runGraphql(executor: GraphqlExecutor, execution: Execution): Promise<unknown> {
  const loan = loanOf(execution);
  const auth = await loan.auth();
  const { endpoint, query, operationName } = executor;
  const programs = [endpoint, executor.headers, executor.variables];
  const values = await evaluateAll(execution, programs, auth);
  const [address, fields, given] = values;
  const url = endpoint === null ? "" : asText(execution, endpoint, address);
  const carried = await checkCarrying(execution, loan, { url, programs, values, auth });

  const headers = headerPairs(execution, asObject(execution, executor.headers, fields));
  const variables = asObject(execution, executor.variables, given);
  const response = await sendRequest(
    execution,
    {
      method: "POST",
      url,
      headers: withType(headers, "application/json"),
      body: Buffer.from(
        JSON.stringify({ query, variables, ...(operationName === null ? {} : { operationName }) }),
      ),
    },
    carried,
  );
  const answer = await readAnswer(response, false);
  if (!isObject(answer))
    throw new DeputyError("PROTOCOL", `${nameOf(execution)}: the answer is not one of GraphQL`, {
      hint: "Does base_url, or endpoint, lead to the service's GraphQL?",
    });
  const data = dataOf(answer, execution);
  // Some count from the answer, some from its data.
  if (executor.response === null || !isObject(data) || Object.hasOwn(data, "data")) return data;
  return { ...data, data };
}

function dataOf({ data, errors }: Record<string, unknown>, execution: Execution): unknown {
  const failures = Array.isArray(errors) ? errors.filter(isObject) : [];
  if (failures.length === 0) return data ?? null;
  const { connection, identity } = loanOf(execution);
  if (identity !== null && failures.some(isUnauthenticated)) throw sessionExpired(connection);
  const said = failures
    .slice(0, 3)
    .map(({ message }) => (typeof message === "string" ? oneLine(message) : "no reason given"))
    .join("; ");
  const message = `${nameOf(execution)}: the service answered with errors: ${said}`;
  if (data === null || data === undefined) throw new DeputyError("SKILL_FAILED", message, { hint: ASK });
  execution.warn(message);
  return data;
}

function isUnauthenticated({ extensions }: Record<string, unknown>): boolean {
  const code = isObject(extensions) ? extensions["code"] : undefined;
  return typeof code === "string" && UNAUTHENTICATED.test(code);
}
