import { type Auth, type Connection, isRefusal, type Loan } from "../../auth/index.ts";
import type { InResponse, OutRequest } from "../../http/index.ts";
import type { Identity } from "../../kernel/index.ts";

/** The account of runs from a cassette. */
const STAND_IN = "stand-in";

/** What `.auth` is then: the same names, and values that open nothing. Long enough to be found and masked. */
export function standInValues(auth: Auth, recorded: readonly string[] | undefined): Record<string, string> {
  return Object.fromEntries((recorded ?? usual(auth)).map((name) => [name, `stand-in-for-${name}`]));
}

function usual(auth: Auth): readonly string[] {
  switch (auth.type) {
    case "api_key":
      return ["key"];
    case "oauth":
      return ["access_token", "token_type"];
    case "cookies":
      return [...(auth.names ?? []), "cookies"];
  }
}

/** A login that is nobody's, with a way to somewhere that is no network. */
export class StandInLoan implements Loan {
  readonly connection: Connection;
  readonly identity: Identity | null;
  readonly provider: string;
  readonly considered = [];
  readonly hosts = new Set<string>();
  refused = false;
  unsafeDone = false;
  readonly #values: Readonly<Record<string, string>>;
  readonly #answer: (request: OutRequest) => InResponse;

  constructor(
    connection: Connection,
    values: Readonly<Record<string, string>> | null,
    answer: (request: OutRequest) => InResponse,
  ) {
    this.connection = connection;
    this.identity = values && { domain: connection.domain, identifier: STAND_IN };
    this.provider = values === null ? "none" : "cassette";
    this.#values = values ?? {};
    this.#answer = answer;
  }

  async auth(): Promise<Readonly<Record<string, unknown>>> {
    return this.#values;
  }

  /** Whether a value may go there is decided by the recording: where it did not go, there is no answer. */
  mayCarry(): boolean {
    return true;
  }

  async send(request: OutRequest): Promise<InResponse> {
    const response = this.#answer(request);
    if (URL.canParse(response.url)) this.hosts.add(new URL(response.url).host);
    this.refused = isRefusal(response);
    return response;
  }
}
