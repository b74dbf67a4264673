import type { Expressions } from "../expressions/index.ts";
import type { Http, InResponse, OutRequest } from "../http/index.ts";
import type { Identity, Secret } from "../kernel/index.ts";
import type { Considered } from "./candidate.ts";
import type { Connection, Placement } from "./connection.ts";
import { evaluatePlacement } from "./evaluate-placement.ts";
import { keyLease } from "./lend-key.ts";
import { type Loan, LoanRecord, RecordedLoan, type SendOptions } from "./loan.ts";
import type { OAuthLogin } from "./oauth/oauth-login.ts";
import type { Fresh } from "./oauth/token-keeper.ts";
import type { Placed } from "./place-credential.ts";

export type Token = OAuthLogin & { readonly accessToken: Secret };

export interface TokenSource {
  readonly connection: Connection;
  readonly identity: Identity;
  readonly considered: readonly Considered[];
  /** Null: `Authorization: Bearer`. */
  readonly placement: Placement | null;
  /** The token as it is good now; `failed` has just been refused. */
  readonly fresh: (failed?: Secret, signal?: AbortSignal) => Promise<Fresh>;
}

/** A token lent to one call: renewed before it ends, and once when the service refuses it. */
export class TokenLoan extends RecordedLoan implements Loan {
  readonly provider = "vault";
  readonly #source: TokenSource;
  readonly #http: Http;
  readonly #expressions: Expressions;
  protected readonly record: LoanRecord;
  #token: Token;
  #placed: { readonly token: string; readonly placed: Placed } | undefined;

  constructor(source: TokenSource, token: Token, parts: { http: Http; expressions: Expressions }) {
    super();
    this.#source = source;
    this.#token = token;
    this.#http = parts.http;
    this.#expressions = parts.expressions;
    this.record = new LoanRecord(source.connection);
  }

  get connection(): Connection {
    return this.#source.connection;
  }

  get identity(): Identity {
    return this.#source.identity;
  }

  get considered(): readonly Considered[] {
    return this.#source.considered;
  }

  async auth(): Promise<Record<string, unknown>> {
    return valuesOf(this.#token);
  }

  async send(request: OutRequest, options: SendOptions = {}): Promise<InResponse> {
    const { signal } = options;
    const now = await this.#source.fresh(undefined, signal);
    if (now.kind === "token") this.#token = now.login;
    const first = await this.#once(request, options);
    let answer = first;
    if (first.status === 401) {
      const renewed = await this.#source.fresh(this.#token.accessToken, signal);
      if (renewed.kind === "token") {
        this.#token = renewed.login;
        for await (const _ of first.body) break; // lets go of the connection
        answer = await this.#once(request, options);
      }
    }
    this.record.note(request, answer);
    return answer;
  }

  async #once(request: OutRequest, { signal, trace, alsoMask }: SendOptions): Promise<InResponse> {
    const { connection, identity, placement } = this.#source;
    const values = valuesOf(this.#token);
    const placed = placement === null ? bearer(this.#token) : await this.#place(placement, values);
    const lease = { ...keyLease(connection, identity, placed, values), written: alsoMask };
    return this.#http.send(lease, request, signal, trace);
  }

  async #place(placement: Placement, values: Record<string, unknown>): Promise<Placed> {
    const { connection } = this.#source;
    const token = this.#token.accessToken.reveal();
    if (this.#placed?.token !== token) {
      const placed = await evaluatePlacement(this.#expressions, placement, connection, values);
      this.#placed = { token, placed };
    }
    return this.#placed.placed;
  }
}

function valuesOf(token: Token): Record<string, unknown> {
  const rest = JSON.parse(token.rest.reveal()) as Record<string, unknown>;
  return { ...rest, access_token: token.accessToken.reveal(), token_type: token.tokenType };
}

function bearer({ accessToken, tokenType }: Token): Placed {
  const scheme = tokenType.toLowerCase() === "bearer" ? "Bearer" : tokenType;
  return { header: { Authorization: `${scheme} ${accessToken.reveal()}` }, query: {}, body: {} };
}
