import { AsyncLocalStorage } from "node:async_hooks";
import type { ActivityLog, Denial, DenialLog, Grants, LogEntry } from "../../access/index.ts";
import type { Watch } from "../../http/index.ts";
import { DeputyError, type ErrorCode } from "../../kernel/index.ts";
import { LOGGED_CALLS } from "../logged-calls.ts";
import type { CallContext, Methods } from "../methods.ts";

interface Current {
  readonly instance: string;
  readonly entry: LogEntry;
  readonly denials: Denial[];
}

const MOST_DENIALS = 16;

type Ended<T> =
  | { readonly kind: "answered"; readonly out: T }
  | { readonly kind: "failed"; readonly error: unknown; readonly code: ErrorCode };

/**
 * Which entry of the log a thing belongs to. What is sent, and what is decided, deep inside a call finds its entry by the
 * call it is part of: nothing on the way could leave it out, or name another.
 */
export class Activity {
  readonly #log: ActivityLog;
  readonly #current = new AsyncLocalStorage<Current>();

  constructor(log: ActivityLog) {
    this.#log = log;
  }

  readonly watch: Watch = {
    contact: (host, method) => this.#current.getStore()?.entry.contact(host, method),
    answered: (status) => this.#current.getStore()?.entry.answered(status),
    received: (bytes) => this.#current.getStore()?.entry.received(bytes),
  };

  readonly denials: DenialLog = {
    recordDenial: (denial) => {
      const current = this.#current.getStore();
      // What the engine asks on its own account, such as whose a login is, was not the caller's wish.
      if (denial.caller.instance !== current?.instance) return;
      // Nobody fills the log by being refused: of more than this the last is kept.
      if (current.denials.length === MOST_DENIALS) current.denials.pop();
      current.denials.push(denial);
    },
  };

  /** Every decision tells as whom the call acts. */
  noting(grants: Grants): Grants {
    return {
      ...grants,
      decide: (request) => {
        if (request.identity !== null) this.#current.getStore()?.entry.use(request.identity);
        return grants.decide(request);
      },
    };
  }

  /** Does the work and logs it; what came of it is told once the row is committed. */
  async during<K extends keyof Methods>(
    method: K,
    input: Methods[K]["in"],
    { caller }: CallContext,
    work: () => Promise<Methods[K]["out"]>,
  ): Promise<Methods[K]["out"]> {
    this.#log.seen(caller);
    const logged = LOGGED_CALLS[method];
    const about =
      logged === "unlogged" ? { subject: "@engine", operation: method, identity: null } : logged.begun(input);
    const { instance } = caller;
    const current = { instance, entry: this.#log.begin({ caller, ...about }), denials: [] };
    const ended = await settled(() => this.#current.run(current, work));
    if (ended.kind === "answered") {
      if (logged === "unlogged") return ended.out;
      current.entry.know(logged.ended?.(ended.out, input) ?? {});
      await this.#end(current, null);
      return ended.out;
    }
    if (logged !== "unlogged" || ended.code === "DENIED") await this.#end(current, ended.code);
    throw ended.error;
  }

  /** One row for the call; where it went on after a denial, one for that too. */
  async #end({ entry, denials }: Current, code: ErrorCode | null): Promise<void> {
    if (code !== "DENIED") {
      const rows = distinct(denials).map((denial) => this.#denied(denial));
      await Promise.all([...rows, entry.end(code === null ? "ok" : "failed", code)]);
      return;
    }
    const last = denials.at(-1);
    if (last !== undefined) {
      const { subject, operation, identity } = last;
      entry.know({ subject, operation, identity });
      if (last.host !== undefined) entry.refuse(last.host);
    }
    await entry.end("denied", code);
  }

  #denied(denial: Denial): Promise<void> {
    const entry = this.#log.begin(denial);
    if (denial.host !== undefined) entry.refuse(denial.host);
    return entry.end("denied", "DENIED");
  }
}

async function settled<T>(work: () => Promise<T>): Promise<Ended<T>> {
  try {
    return { kind: "answered", out: await work() };
  } catch (error) {
    return { kind: "failed", error, code: error instanceof DeputyError ? error.code : "INTERNAL" };
  }
}

function distinct(denials: readonly Denial[]): Denial[] {
  const key = ({ subject, operation, identity, host }: Denial) =>
    JSON.stringify([subject, operation, identity, host]);
  return [...new Map(denials.map((denial) => [key(denial), denial])).values()];
}
