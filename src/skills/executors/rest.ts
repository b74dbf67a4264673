import type { HeaderPair } from "../../http/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { RestExecutor } from "../executor.ts";
import type { Execution } from "../run/execution.ts";
import { checkCarrying } from "./carried-auth.ts";
import { asObject, asText, evaluateAll, nameOf } from "./evaluate.ts";
import { loanOf, sendRequest } from "./send-request.ts";
import { readAnswer } from "./service-answer.ts";

const TYPES = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  text: "text/plain; charset=utf-8",
};

/** One request as its templates say. Nothing is sent where the login would go to a host it is not for. */
export async function runRest(executor: RestExecutor, execution: Execution): Promise<unknown> {
  const loan = loanOf(execution);
  const auth = await loan.auth();
  const programs = [executor.url, executor.headers, executor.query, executor.body];
  const values = await evaluateAll(execution, programs, auth);
  const [address, fields, asked, content] = values;
  const url = staying(execution, asText(execution, executor.url, address)).replaceAll(" ", "%20");
  const carried = await checkCarrying(execution, loan, { url, programs, values, auth });

  const headers = headerPairs(execution, asObject(execution, executor.headers, fields));
  const query = pairsOf(asObject(execution, executor.query, asked));
  const body = encode(executor, execution, content);
  const response = await sendRequest(
    execution,
    {
      method: executor.method,
      url: withQuery(url, query),
      headers: body === undefined ? headers : withType(headers, TYPES[executor.encoding]),
      ...(body === undefined ? {} : { body }),
    },
    carried,
  );
  return readAnswer(response, executor.response?.raw ?? false);
}

/**
 * The address, if it does not climb: a caller who gives a part of it, such as an id, would choose another operation's address
 * than the one that was allowed. WHATWG URL: `%2e` is a dot, a backslash a slash, and tabs and line ends are not there.
 */
function staying(execution: Execution, url: string): string {
  const [path = ""] = url.replaceAll(/[\t\n\r]/g, "").split(/[?#]/);
  if (!/(^|[/\\])(\.|%2e){2}([/\\]|$)/i.test(path)) return url;
  throw new DeputyError("BAD_INPUT", `${nameOf(execution)}: its address leads up by ".."`, {
    hint: "What is given as a part of an address, such as an id or a path, may not have .. in it.",
  });
}

/** Null and false stand for no header. */
export function headerPairs(execution: Execution, fields: Readonly<Record<string, unknown>>): HeaderPair[] {
  return Object.entries(fields).flatMap(([name, value]): HeaderPair[] => {
    if (value === null || value === false) return [];
    if (typeof value === "object")
      throw new DeputyError("BAD_INPUT", `${nameOf(execution)}: the header ${name} is not text`, {
        hint: "In the manifest a header comes to text, a number, or null for none.",
      });
    return [[name, written(value)]];
  });
}

/** What the template says wins. */
export function withType(headers: readonly HeaderPair[], type: string): readonly HeaderPair[] {
  const given = headers.some(([name]) => name.toLowerCase() === "content-type");
  return given ? headers : [...headers, ["Content-Type", type]];
}

function encode({ encoding }: RestExecutor, execution: Execution, body: unknown): Uint8Array | undefined {
  if (body === null) return undefined;
  if (encoding === "json") return Buffer.from(JSON.stringify(body));
  if (encoding === "text") return Buffer.from(written(body));
  // Text is a form that was written out already.
  if (typeof body === "string") return Buffer.from(body);
  if (typeof body !== "object" || Array.isArray(body))
    throw new DeputyError("BAD_INPUT", `${nameOf(execution)}: the body of a form is an object`, {
      hint: "In the manifest it comes to {name: value}, or the encoding is another one: json, text.",
    });
  return Buffer.from(new URLSearchParams(pairsOf(body)).toString());
}

/** Lists repeat their name; null is left out. */
function pairsOf(fields: object): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((one) => one !== null)
      .map((one): [string, string] => [name, written(one)]),
  );
}

function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function withQuery(url: string, pairs: [string, string][]): string {
  if (pairs.length === 0) return url;
  const [bare = ""] = url.split("#");
  const joint = bare.includes("?") ? (/[?&]$/.test(bare) ? "" : "&") : "?";
  return `${bare}${joint}${new URLSearchParams(pairs).toString()}`;
}
