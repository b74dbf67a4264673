import { type Connection, isRefusal, type Lender, type Loan, sessionExpired } from "../auth/index.ts";
import type { InResponse } from "../http/index.ts";
import { DeputyError } from "../kernel/index.ts";
import type { Calls } from "./methods.ts";
import { siteConnection } from "./site-connection.ts";

interface Answered {
  readonly response: InResponse;
  readonly loan: Loan;
}

/** A request of the owner's own as one of their identities: chosen by the URL's domain, written back as it rotates. */
export function createCurlCall(lender: () => Promise<Lender>): Calls<"curl"> {
  return {
    curl: async (query, { signal, progress }) => {
      const connection = siteConnection(query.url);
      const { account, provider } = query;
      const body = query.body === undefined ? {} : { body: Buffer.from(query.body, "base64") };
      const request = { method: query.method, url: query.url, headers: query.headers, ...body };
      const send = async (loan: Loan) => ({ loan, response: await loan.send(request, { signal }) });

      const borrow = { connection, account, provider, signal };
      const { response, loan } = await answeredBy(await lender(), borrow, send);
      for await (const chunk of response.body) {
        progress({ message: "body", chunk: Buffer.from(chunk).toString("base64") });
      }
      const { status, url, headers } = response;
      return { status, url, headers, account: loan.identity?.identifier ?? "", provider: loan.provider };
    },
  };
}

/** A refusal is tried with another login, and shown as it is where there is none. */
async function answeredBy(
  lender: Lender,
  borrow: { connection: Connection; account?: string | undefined; provider?: string | undefined },
  send: (loan: Loan) => Promise<Answered>,
): Promise<Answered> {
  let refused: Answered | undefined;
  try {
    return await lender.use(borrow, async (loan) => {
      const answered = await send(loan);
      if (!isRefusal(answered.response)) return answered;
      refused = answered;
      throw sessionExpired(borrow.connection);
    });
  } catch (error) {
    if (refused !== undefined && error instanceof DeputyError && error.code === "SESSION_EXPIRED")
      return refused;
    throw error;
  }
}
