import { type Connection, JarLoan, type Lender, type Loan, OPEN_WEB } from "../../auth/index.ts";
import { type Http, type InResponse, Mask, type OutRequest } from "../../http/index.ts";
import { DeputyError, Secret, systemClock } from "../../kernel/index.ts";
import { bodyBytes, type Exchange, keepBody, type Recording, streamOf } from "./cassette.ts";
import { matchKey } from "./match-key.ts";
import { StandInLoan, standInValues } from "./stand-in.ts";

/** A lender whose loans are nobody's login and whose answers come from a recording: no network, no vault. */
export function replayingLender(recording: Recording): Lender {
  const answers = answersOf(recording);

  const answer = (connection: Connection, request: OutRequest, secrets: readonly string[]): InResponse => {
    const asked = asRecorded(connection, request, secrets);
    const queue = answers.get(matchKey(asked));
    // The same request again is answered in turn, and in the end as it was last.
    const found = queue !== undefined && queue.length > 1 ? queue.shift() : queue?.[0];
    if (found === undefined) throw notRecorded(asked);
    const { status, url: at, headers, body: kept } = found.response;
    return { status, url: at, headers, unreadCookies: [], body: streamOf(bodyBytes(kept)) };
  };

  const lend = (connection: Connection): Loan => {
    const recorded = recording.logins[connection.name];
    const values =
      connection.auth === null || recorded === null ? null : standInValues(connection.auth, recorded);
    const secrets = Object.values(values ?? {});
    return new StandInLoan(connection, values, (request) => answer(connection, request, secrets));
  };

  return {
    find: async ({ connection }) => ({ kind: "lent", loan: lend(connection) }),
    lend: async ({ connection }) => lend(connection),
    use: async ({ connection }, work) => work(lend(connection)),
    checkOf: () => undefined,
    requireSome: async () => undefined,
    tryOut(connection, cookies) {
      const http: Http = { send: async (_lease, request) => answer(connection, request, []) };
      return new JarLoan(connection, cookies, { http, pool: { drop: async () => {} }, clock: systemClock });
    },
    openWeb: (allow) =>
      new StandInLoan(OPEN_WEB, null, (request) => {
        allow();
        return answer(OPEN_WEB, request, []);
      }),
  };
}

function answersOf({ exchanges }: Recording): Map<string, Exchange[]> {
  const answers = new Map<string, Exchange[]>();
  for (const exchange of exchanges)
    answers.getOrInsertComputed(matchKey(exchange.request), () => []).push(exchange);
  return answers;
}

/** With the stand-in's values masked, as the login's were when it was recorded. */
function asRecorded(
  { baseUrl }: Connection,
  { method, url, body }: OutRequest,
  secrets: readonly string[],
): Exchange["request"] {
  const mask = new Mask(secrets.map((text) => Secret.fromText(text)));
  // What is no address was never sent, and finds nothing as it is.
  const target = URL.canParse(url, baseUrl?.href) ? new URL(url, baseUrl?.href).href : url;
  const href = mask.text(target);
  if (body === undefined) return { method, url: href };
  const kept = keepBody(body);
  return { method, url: href, body: "text" in kept ? { text: mask.text(kept.text) } : kept };
}

function notRecorded({ method, url }: Exchange["request"]): DeputyError {
  return new DeputyError("NOT_FOUND", `The cassette has no answer to ${method} ${url}`, {
    hint: "The request differs from what was recorded, in its address or its body. Record it again with --record.",
  });
}
