import { Mask } from "../../http/index.ts";
import { Secret } from "../../kernel/index.ts";
import { bodyBytes, type Exchange, keepBody, type KeptBody, type Recording } from "./cassette.ts";

/** Headers of answers whose values may be a credential: the name stays, for who reads the cassette. */
const TELLING = /cookie|auth|token|secret|session|csrf|xsrf|signature|api-?key/i;
/** Answers of token endpoints (RFC 6749 5.1) and what signs clients up (RFC 7591). */
const TOKEN_FIELDS =
  /("(?:access_token|refresh_token|id_token|client_secret|registration_access_token)"\s*:\s*")(?:[^"\\]|\\.)*(")/g;

/**
 * What one operation is recorded on. Secrets are taken out when it is read, with all that were met until then: a value
 * may stand in an answer before it is known to be a login.
 */
export class Tape {
  #exchanges: readonly Exchange[] = [];
  readonly #logins = new Map<string, string[] | null>();
  readonly #secrets = new Set<string>();

  add(exchange: Exchange): void {
    this.#exchanges = [...this.#exchanges, exchange];
  }

  /** Forgets what a login was tried with that was refused. */
  drop(exchanges: readonly Exchange[]): void {
    this.#exchanges = this.#exchanges.filter((one) => !exchanges.includes(one));
  }

  /** As whom a connection was used: the names of the login's values, or null for nobody. */
  noteLogin(connection: string, auth: Readonly<Record<string, unknown>> | null): void {
    if (auth !== null) this.noteSecrets(auth);
    const names = auth && Object.keys(auth).filter((name) => typeof auth[name] === "string");
    this.#logins.set(connection, names && names.sort());
  }

  /** Every text in it, however deep. */
  noteSecrets(value: unknown): void {
    if (typeof value === "string") this.#secrets.add(value);
    else if (typeof value === "object" && value !== null)
      Object.values(value).forEach((one) => this.noteSecrets(one));
  }

  recording(recordedAt: string): Recording {
    const mask = new Mask([...this.#secrets].map((text) => Secret.fromText(text)));
    return {
      recorded_at: recordedAt,
      logins: Object.fromEntries(this.#logins),
      exchanges: this.#exchanges.map((one) => redacted(one, mask)),
    };
  }
}

function redacted({ request, response }: Exchange, mask: Mask): Exchange {
  return {
    request: {
      method: request.method,
      url: mask.text(request.url),
      ...(request.body === undefined ? {} : { body: redactedBody(request.body, mask) }),
    },
    response: {
      status: response.status,
      url: mask.text(response.url),
      headers: response.headers.map(([name, value]) => [
        name,
        TELLING.test(name) ? "[redacted]" : mask.text(value),
      ]),
      body: redactedBody(response.body, mask),
    },
  };
}

function redactedBody(body: KeptBody, mask: Mask): KeptBody {
  if ("text" in body) return { text: mask.text(body.text).replaceAll(TOKEN_FIELDS, "$1[redacted]$2") };
  // Latin-1 keeps every byte apart, and the secrets of a binary answer are ASCII.
  const text = bodyBytes(body).toString("latin1");
  return mask.finds(text) ? keepBody(Buffer.from(mask.text(text), "latin1")) : body;
}
