import { DeputyError, isRecord } from "../kernel/index.ts";
import type { Transport } from "./transport.ts";

export type CdpResult = Readonly<Record<string, unknown>>;

export interface CdpEvent {
  readonly method: string;
  readonly params: CdpResult;
  /** Null for the browser's own. */
  readonly session: string | null;
}

/** What the browser answered, as it said it. */
export type CdpAnswer =
  | { readonly result: CdpResult }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** One connection to one browser; its sessions are flat (`Target.attachToTarget` with `flatten: true`). */
export interface CdpConnection extends AsyncDisposable {
  call(method: string, params?: object, session?: string): Promise<CdpResult>;
  /**
   * For who passes on what others ask: no time-out, errors as values, and the answer in its order among the events.
   * Throws once the connection is gone; what was not answered then never is.
   */
  relay(method: string, params: object, session: string, answered: (answer: CdpAnswer) => void): void;
  /** Events of one session; of the browser itself where `session` is null. */
  on(session: string | null, listener: (event: CdpEvent) => void): Disposable;
  /** Resolves with the reason once the connection is gone, whoever ended it. */
  readonly closed: Promise<string>;
  close(): Promise<void>;
}

/** The browser understood what it was asked, and would not. */
export class CdpRefusal extends DeputyError {
  constructor(method: string, reason: string) {
    super("PROTOCOL", `The browser refused ${method}: ${reason.slice(0, 300)}`);
  }
}

interface Pending {
  readonly answered: (answer: CdpAnswer) => void;
  readonly lost: (reason: string) => void;
}

export function createCdpConnection(transport: Transport, { timeoutMs = 30_000 } = {}): CdpConnection {
  const pending = new Map<number, Pending>();
  const listeners = new Map<string | null, Set<(event: CdpEvent) => void>>();
  const closed = Promise.withResolvers<string>();
  let gone: string | undefined;
  let lastId = 0;

  function settle(id: number): Pending | undefined {
    const call = pending.get(id);
    pending.delete(id);
    return call;
  }

  function send(method: string, params: object, session: string | undefined, call: Pending): number {
    const id = ++lastId;
    pending.set(id, call);
    transport.send(
      JSON.stringify({ id, method, params, ...(session === undefined ? {} : { sessionId: session }) }),
    );
    return id;
  }

  function end(reason: string): void {
    if (gone !== undefined) return;
    gone = reason;
    for (const id of pending.keys()) settle(id)?.lost(reason);
    listeners.clear();
    closed.resolve(reason);
  }

  transport.listen({
    onClose: end,
    onMessage(text) {
      const message = parseMessage(text);
      if (message === undefined) {
        end("the other side does not speak the DevTools protocol");
        transport.close();
      } else if (message.kind === "event") {
        const { event } = message;
        for (const listener of listeners.get(event.session) ?? []) listener(event);
      } else settle(message.id)?.answered(message.answer);
    },
  });

  const connection: CdpConnection = {
    closed: closed.promise,
    call(method, params = {}, session) {
      if (gone !== undefined)
        return Promise.reject(new DeputyError("PROTOCOL", `${method} was not sent: ${gone}`));
      const { promise, resolve, reject } = Promise.withResolvers<CdpResult>();
      const id = send(method, params, session, {
        answered(answer) {
          clearTimeout(timer);
          if ("result" in answer) resolve(answer.result);
          else reject(new CdpRefusal(method, answer.error.message));
        },
        lost(reason) {
          clearTimeout(timer);
          reject(new DeputyError("PROTOCOL", `${method} was not answered: ${reason}`));
        },
      });
      const timer = setTimeout(() => {
        settle(id);
        reject(new DeputyError("TIMEOUT", `The browser did not answer ${method} in ${timeoutMs} ms`));
      }, timeoutMs);
      return promise;
    },
    relay(method, params, session, answered) {
      if (gone !== undefined) throw new DeputyError("PROTOCOL", `${method} was not sent: ${gone}`);
      send(method, params, session, { answered, lost: () => {} });
    },
    on(session, listener) {
      const set = listeners.get(session) ?? new Set();
      listeners.set(session, set.add(listener));
      return {
        [Symbol.dispose]() {
          set.delete(listener);
          if (set.size === 0 && listeners.get(session) === set) listeners.delete(session);
        },
      };
    },
    async close() {
      end("it was closed");
      transport.close();
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
  return connection;
}

type Message =
  | { readonly kind: "event"; readonly event: CdpEvent }
  | { readonly kind: "answer"; readonly id: number; readonly answer: CdpAnswer };

/** Undefined for what is no message of the protocol. */
function parseMessage(text: string): Message | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(message)) return undefined;
  const { id, method, result, error, params, sessionId } = message;
  if (typeof id === "number") {
    if (!isRecord(error)) return { kind: "answer", id, answer: { result: isRecord(result) ? result : {} } };
    const reason = typeof error["message"] === "string" ? error["message"] : "no reason given";
    const code = typeof error["code"] === "number" ? error["code"] : -32000;
    const data = error["data"];
    return {
      kind: "answer",
      id,
      answer: { error: { code, message: reason, ...(data === undefined ? {} : { data }) } },
    };
  }
  if (typeof method !== "string") return undefined;
  const session = typeof sessionId === "string" ? sessionId : null;
  return { kind: "event", event: { method, params: isRecord(params) ? params : {}, session } };
}
