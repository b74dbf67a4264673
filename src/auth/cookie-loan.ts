import { type Cookie, type CookieChange, Jar } from "../cookies/index.ts";
import { type Http, type InResponse, type Lease, type OutRequest, targetUrl } from "../http/index.ts";
import type { Clock, Identity } from "../kernel/index.ts";
import type { Considered } from "./candidate.ts";
import type { Connection } from "./connection.ts";
import { isGuessOf } from "./cookie-login.ts";
import { cookieValues } from "./cookie-values.ts";
import { isRefusal, type Loan, LoanRecord, RecordedLoan, type SendOptions } from "./loan.ts";
import type { MaskedValues } from "./masked-values.ts";
import type { Resolution, Resolver } from "./resolver.ts";
import type { Turns } from "./turns.ts";

type Resolved = Extract<Resolution, { kind: "resolved" }>;

interface Parts {
  readonly http: Http;
  readonly resolver: Resolver;
  readonly turns: Turns;
  readonly masked: MaskedValues;
  readonly clock: Clock;
}

/** Cookies lent to one call: sent from a jar of its own, and written back as each response ends. */
export class CookieLoan extends RecordedLoan implements Loan {
  readonly connection: Connection;
  readonly identity: Identity;
  readonly provider: string;
  readonly considered: readonly Considered[];
  readonly #parts: Parts;
  protected readonly record: LoanRecord;
  #jar: Jar;

  constructor(connection: Connection, found: Resolved, parts: Parts) {
    super();
    this.connection = connection;
    this.identity = found.identity;
    this.provider = found.provider;
    this.considered = found.considered;
    this.#parts = parts;
    this.record = new LoanRecord(connection);
    this.#jar = this.#jarOf(found.login.cookies);
  }

  async auth(): Promise<Record<string, unknown>> {
    return cookieValues(this.#jar, this.connection);
  }

  /** In turn where the session rotates: what the last call was given must be what this one sends. */
  async send(request: OutRequest, options: SendOptions = {}): Promise<InResponse> {
    const { turns } = this.#parts;
    const first = turns.isRotating(this.identity)
      ? await this.#inTurn(request, options)
      : await this.#once(request, options);
    const answer =
      (isRefusal(first.response) && (await this.#again(first, request, options))) || first.response;
    this.record.note(request, answer);
    return answer;
  }

  /** A refused request has done nothing. Where another call was given a newer session meanwhile, it is sent again. */
  async #again(first: Sent, request: OutRequest, options: SendOptions): Promise<InResponse | undefined> {
    const { turns, resolver } = this.#parts;
    await turns.settled(this.identity);
    const now = resolver.current(this.identity);
    if (now === undefined || this.#jarOf(now.cookies).header(first.url) === first.cookies) return undefined;
    turns.noteRotation(this.identity);
    for await (const _ of first.response.body) break; // lets go of the connection
    return (await this.#inTurn(request, options)).response;
  }

  async #inTurn(request: OutRequest, options: SendOptions): Promise<Sent> {
    const { turns, resolver } = this.#parts;
    return turns.take(this.identity, async () => {
      const now = resolver.current(this.identity);
      if (now !== undefined) this.#jar = this.#jarOf(now.cookies);
      return this.#once(request, options);
    });
  }

  async #once(request: OutRequest, { signal, trace, alsoMask }: SendOptions): Promise<Sent> {
    const { http, turns } = this.#parts;
    const { baseUrl } = this.connection;
    const lease = { ...this.#lease(this.#jar), written: alsoMask };
    const url = targetUrl(request.url, baseUrl);
    const cookies = this.#jar.header(url);
    const response = await turns.track(this.identity, http.send(lease, request, signal, trace));
    return { response, url, cookies };
  }

  #lease(jar: Jar): Lease {
    const { mode, baseUrl, hosts, domain } = this.connection;
    const before = jar.all();
    return {
      identity: this.identity,
      mode,
      baseUrl,
      jar,
      credential: null,
      egress: { domain, hosts },
      secrets: this.#parts.masked.of(this.identity, before),
      onJarChange: (changes) => this.#takeBack(jar, before, changes),
    };
  }

  #takeBack(jar: Jar, before: readonly Cookie[], changes: readonly CookieChange[]): void {
    const { turns, resolver } = this.#parts;
    if (rotates(before, changes)) turns.noteRotation(this.identity);
    for (const change of changes) {
      for (const guess of jar.all()) if (isGuessOf(change, guess)) jar.forget(guess);
    }
    resolver.takeBack(this.identity, changes, "service");
  }

  #jarOf(cookies: readonly Cookie[]): Jar {
    return new Jar({ cookies, now: () => this.#parts.clock.now() });
  }
}

interface Sent {
  readonly response: InResponse;
  readonly url: URL;
  readonly cookies: string;
}

/** A cookie that was there came back with another value. */
function rotates(before: readonly Cookie[], changes: readonly CookieChange[]): boolean {
  const values = new Map(before.map(({ name, value }) => [name, value]));
  return changes.some(
    (change) =>
      change.kind === "set" &&
      values.has(change.cookie.name) &&
      values.get(change.cookie.name) !== change.cookie.value,
  );
}
