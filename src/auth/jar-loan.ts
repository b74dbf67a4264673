import { type Cookie, Jar } from "../cookies/index.ts";
import type { Http, InResponse, Lease, OutRequest, TransportPool } from "../http/index.ts";
import { type Clock, DeputyError, newId, Secret } from "../kernel/index.ts";
import type { Connection } from "./connection.ts";
import { type CookieLogin, mergeChanges } from "./cookie-login.ts";
import { cookieValues } from "./cookie-values.ts";
import { type Loan, LoanRecord, RecordedLoan, type SendOptions } from "./loan.ts";

interface Parts {
  readonly http: Http;
  readonly pool: Pick<TransportPool, "drop">;
  readonly clock: Clock;
}

/**
 * Cookies that are nobody's yet: a candidate being asked whose it is, or a login that is still under way. They share no
 * connection with anybody, and nothing of them is stored here.
 */
export class JarLoan extends RecordedLoan implements Loan, AsyncDisposable {
  readonly connection: Connection;
  readonly identity = null;
  readonly provider = "none";
  readonly considered = [];
  readonly #before: CookieLogin;
  readonly #jar: Jar;
  readonly #parts: Parts;
  protected readonly record: LoanRecord;
  readonly #stranger;

  readonly #onlyAsks: boolean;

  /** `onlyAsks`: nothing but GET and HEAD, for a question that must change nothing. */
  constructor(
    connection: Connection,
    cookies: readonly Cookie[],
    parts: Parts,
    { onlyAsks = false }: { onlyAsks?: boolean } = {},
  ) {
    super();
    this.#onlyAsks = onlyAsks;
    this.connection = connection;
    this.#before = { cookies, gone: [] };
    this.#jar = new Jar({ cookies, now: () => parts.clock.now() });
    this.#parts = parts;
    this.record = new LoanRecord(connection);
    this.#stranger = { domain: connection.domain, identifier: newId("@nobody") };
  }

  /** The cookies as they are now, with what the service changed. */
  get login(): CookieLogin {
    return mergeChanges(this.#before, this.#jar.changes());
  }

  async auth(): Promise<Record<string, unknown>> {
    return cookieValues(this.#jar, this.connection);
  }

  lease(): Lease {
    const { baseUrl, domain, hosts, mode } = this.connection;
    return {
      identity: this.#stranger,
      mode: mode === "api" ? "fetch" : mode,
      baseUrl,
      jar: this.#jar,
      credential: null,
      egress: { domain, hosts },
      secrets: this.#jar.all().map(({ value }) => Secret.fromText(value)),
      onJarChange: () => undefined,
    };
  }

  async send(request: OutRequest, { signal, trace, alsoMask }: SendOptions = {}): Promise<InResponse> {
    if (this.#onlyAsks && !/^(GET|HEAD)$/i.test(request.method))
      throw new DeputyError("DENIED", "A check of whose login this is only asks: GET and HEAD");
    const response = await this.#parts.http.send(
      { ...this.lease(), written: alsoMask },
      request,
      signal,
      trace,
    );
    this.record.note(request, response);
    return response;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.pool.drop(this.#stranger);
  }
}
