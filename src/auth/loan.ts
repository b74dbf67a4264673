import type { Http, InResponse, Lease, OutRequest, Trace } from "../http/index.ts";
import type { Identity, Secret } from "../kernel/index.ts";
import type { Considered } from "./candidate.ts";
import type { Connection } from "./connection.ts";

/** One login lent to one call, and what the call did with it. */
export interface Loan {
  readonly connection: Connection;
  /** Null: nobody. */
  readonly identity: Identity | null;
  /** Where the login came from: `cache`, `vault`, `chromium/Default`, `none`. */
  readonly provider: string;
  readonly considered: readonly Considered[];
  /** What `.auth` is in request templates. It never leaves the engine. */
  auth(): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Whether a value of `auth()` may be written into a request to this address: base_url's origin and the hosts listed.
   * Cookies that go by themselves keep to their own, wider rules.
   */
  mayCarry(url: string): boolean;
  /** The only way to the network with this login. */
  send(request: OutRequest, options?: SendOptions): Promise<InResponse>;
  /** The service's own host has answered 401 or 403, and nothing has gone well since. */
  readonly refused: boolean;
  /** A request that changes things has succeeded: doing it all again would do it twice. */
  readonly unsafeDone: boolean;
  /** Every host that was contacted. */
  readonly hosts: ReadonlySet<string>;
}

/** What `mayCarry` means for a connection. */
export function isCovered({ baseUrl, hosts }: Connection, url: string): boolean {
  if (!URL.canParse(url, baseUrl?.href)) return false;
  const { origin } = new URL(url, baseUrl?.href);
  const listed =
    hosts === "any"
      ? []
      : hosts.map((host) => new URL(host.includes("://") ? host : `https://${host}`).origin);
  return origin === baseUrl?.origin || listed.includes(origin);
}

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  readonly trace?: Trace | undefined;
  /** What the request's own templates made of the login: masked in the answer like the login itself. */
  readonly alsoMask?: readonly Secret[] | undefined;
}

/** What a loan of any kind keeps about its requests. */
export class LoanRecord {
  readonly #connection: Connection;
  readonly hosts = new Set<string>();
  refused = false;
  unsafeDone = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  note(request: OutRequest, response: InResponse): void {
    const own = this.#isOwn(response.url);
    if (URL.canParse(response.url)) this.hosts.add(new URL(response.url).host);
    if (own && isRefusal(response)) this.refused = true;
    else if (response.status < 400) {
      this.refused = false;
      if (!/^(GET|HEAD|OPTIONS)$/i.test(request.method)) this.unsafeDone = true;
    }
  }

  #isOwn(url: string): boolean {
    const { baseUrl, domain } = this.#connection;
    if (!URL.canParse(url)) return false;
    const { host, hostname } = new URL(url);
    return host === baseUrl?.host || hostname === domain || hostname.endsWith(`.${domain}`);
  }
}

/** The part of a loan that is the same for all kinds of logins. */
export abstract class RecordedLoan {
  abstract readonly connection: Connection;
  protected abstract readonly record: LoanRecord;

  get refused(): boolean {
    return this.record.refused;
  }

  get unsafeDone(): boolean {
    return this.record.unsafeDone;
  }

  get hosts(): ReadonlySet<string> {
    return this.record.hosts;
  }

  mayCarry(url: string): boolean {
    return isCovered(this.connection, url);
  }
}

export function isRefusal({ status }: InResponse): boolean {
  return status === 401 || status === 403;
}

/** Sends with a lease that does not change from request to request. */
export function fixedLoan(
  of: Pick<Loan, "connection" | "identity" | "provider" | "considered"> & {
    readonly lease: Lease;
    readonly values: Readonly<Record<string, unknown>>;
  },
  http: Http,
): Loan {
  const { lease, values, ...loan } = of;
  const record = new LoanRecord(loan.connection);
  return {
    ...loan,
    auth: async () => values,
    mayCarry: (url) => isCovered(loan.connection, url),
    async send(request, { signal, trace, alsoMask } = {}) {
      const response = await http.send({ ...lease, written: alsoMask }, request, signal, trace);
      record.note(request, response);
      return response;
    },
    get refused() {
      return record.refused;
    },
    get unsafeDone() {
      return record.unsafeDone;
    },
    hosts: record.hosts,
  };
}
