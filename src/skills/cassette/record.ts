import type { JarLoan, Lender, Loan, SendOptions } from "../../auth/index.ts";
import { type InResponse, type OutRequest, readBytes } from "../../http/index.ts";
import { type Exchange, keepBody, streamOf } from "./cassette.ts";
import type { Tape } from "./tape.ts";

/**
 * A lender whose loans are recorded. It stands where requests do not have their login yet and answers have lost their
 * cookies; how logins are renewed and checked goes on beneath, unrecorded.
 */
export function recordingLender(lender: Lender, tape: Tape): Lender {
  return {
    find: (borrow) => lender.find(borrow),
    checkOf: (connection) => lender.checkOf(connection),
    requireSome: (borrow) => lender.requireSome(borrow),
    lend: async (borrow) => (await recorded(await lender.lend(borrow), tape)).loan,
    openWeb: (allow) => recordedLoan(lender.openWeb(allow), tape, []),
    tryOut(connection, cookies, options) {
      const loan = lender.tryOut(connection, cookies, options);
      tape.noteLogin(connection.name, null);
      return recordJar(loan, tape);
    },
    async use(borrow, work) {
      let failed: readonly Exchange[] = [];
      return lender.use(borrow, async (lent) => {
        tape.drop(failed);
        const { loan, exchanges } = await recorded(lent, tape);
        failed = exchanges;
        return work(loan);
      });
    },
  };
}

async function recorded(lent: Loan, tape: Tape): Promise<{ loan: Loan; exchanges: readonly Exchange[] }> {
  const exchanges: Exchange[] = [];
  tape.noteLogin(lent.connection.name, lent.identity === null ? null : await lent.auth());
  return { loan: recordedLoan(lent, tape, exchanges), exchanges };
}

function recordedLoan(loan: Loan, tape: Tape, exchanges: Exchange[]): Loan {
  const send = async (request: OutRequest, options?: SendOptions) => {
    const { exchange, answer } = await exchanged(loan, request, () => loan.send(request, options));
    exchanges.push(exchange);
    tape.add(exchange);
    tape.noteSecrets(await loan.auth()); // what this very answer made of the login
    return answer;
  };
  return new Proxy(loan, {
    get: (target, name) => {
      if (name === "send") return send;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Its own object stays: its class is how the engine knows a login under way. */
function recordJar(loan: JarLoan, tape: Tape): JarLoan {
  const send = loan.send.bind(loan);
  return Object.assign(loan, {
    send: async (request: OutRequest, options?: SendOptions) => {
      const { exchange, answer } = await exchanged(loan, request, () => send(request, options));
      tape.add(exchange);
      tape.noteSecrets(loan.login.cookies.map(({ value }) => value));
      return answer;
    },
  });
}

async function exchanged(
  { connection }: Loan,
  { method, url, body }: OutRequest,
  send: () => Promise<InResponse>,
): Promise<{ exchange: Exchange; answer: InResponse }> {
  const response = await send();
  const bytes = await readBytes(response);
  const exchange: Exchange = {
    request: {
      method,
      url: new URL(url, connection.baseUrl ?? undefined).href,
      ...(body === undefined ? {} : { body: keepBody(body) }),
    },
    response: {
      status: response.status,
      url: response.url,
      headers: response.headers.map(([name, value]) => [name, value]),
      body: keepBody(bytes),
    },
  };
  return { exchange, answer: { ...response, body: streamOf(bytes) } };
}
