import type { Caller, ErrorCode } from "../../kernel/index.ts";
import type { LogRow, Outcome } from "./log-row.ts";

/** What is known of a call when it begins. */
export interface Begun {
  readonly caller: Caller;
  readonly subject: string;
  readonly operation: string;
  readonly identity: LogIdentity | null;
}

export interface LogIdentity {
  readonly domain: string;
  /** Null: not known yet. */
  readonly account: string | null;
}

/** A call that does more than this is one whose first hosts tell as much as all of them. */
const MOST_HOSTS = 64;
/** A DNS name with its port. */
const LONGEST_HOST = 260;

/** What a caller may be called, or ask for, is in the log as far as it could be a name. */
const NAME = /^[\w@./:+ -]{1,128}$/;

/** A call under way. It becomes a row when it ends. */
export class LogEntry {
  readonly #commit: (row: Omit<LogRow, "id">) => Promise<void>;
  readonly #at: number;
  readonly #started = performance.now();
  readonly #hosts = new Set<string>();
  readonly #methods = new Set<string>();
  #about: Begun;
  #status: number | null = null;
  #bytes = 0;

  constructor(begun: Begun, at: number, commit: (row: Omit<LogRow, "id">) => Promise<void>) {
    this.#about = begun;
    this.#at = at;
    this.#commit = commit;
  }

  /** What turned out to be meant. */
  know(more: Partial<Omit<Begun, "caller">>): void {
    this.#about = { ...this.#about, ...more };
  }

  /** The login that is used, where several are looked at the first. */
  use(identity: LogIdentity): void {
    if (this.#about.identity?.account == null) this.know({ identity });
  }

  /** Before anything is sent there. */
  contact(host: string, method: string): void {
    if (this.#hosts.size < MOST_HOSTS) this.#hosts.add(host);
    this.#methods.add(method);
  }

  /** Where it was not let. */
  refuse(host: string): void {
    this.#hosts.add(host.slice(0, LONGEST_HOST));
  }

  answered(status: number): void {
    this.#status = status;
  }

  received(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Resolves when the row is committed: only then may the answer leave. */
  async end(outcome: Outcome, code: ErrorCode | null = null): Promise<void> {
    const { caller, subject, operation, identity } = this.#about;
    await this.#commit({
      at: this.#at,
      agent: caller.agent,
      kind: caller.kind,
      instance: caller.instance,
      via: caller.via,
      subject: asName(subject),
      operation: asName(operation),
      domain: identity?.domain ?? null,
      account: identity?.account ?? null,
      hosts: [...this.#hosts],
      methods: [...this.#methods],
      status: this.#status,
      bytes: this.#bytes,
      durationUs: Math.round((performance.now() - this.#started) * 1000),
      outcome,
      code,
    });
  }
}

function asName(text: string): string {
  return NAME.test(text) ? text : "(not a name)";
}
