import { DeputyError } from "../kernel/index.ts";
import type { Transport } from "./transport.ts";

export type CdpResult = Readonly<Record<string, unknown>>;

export interface CdpEvent {
  readonly method: string;
  readonly params: CdpResult;
  /** Null for the browser's own. */
  readonly session: string | null;
}

/** One connection to one browser; its sessions are flat (`Target.attachToTarget` with `flatten: true`). */
export interface CdpConnection extends AsyncDisposable {
  call(method: string, params?: object, session?: string): Promise<CdpResult>;
  /** Events of one session; of the browser itself where `session` is null. */
  on(session: string | null, listener: (event: CdpEvent) => void): Disposable;
  /** Resolves with the reason once the connection is gone, whoever ended it. */
  readonly closed: Promise<string>;
  close(): Promise<void>;
}

interface Pending {
  readonly method: string;
  readonly resolve: (result: CdpResult) => void;
  readonly reject: (error: DeputyError) => void;
  readonly timer: NodeJS.Timeout;
}

export function createCdpConnection(transport: Transport, { timeoutMs = 30_000 } = {}): CdpConnection {
  const pending = new Map<number, Pending>();
  const listeners = new Map<string | null, Set<(event: CdpEvent) => void>>();
  const closed = Promise.withResolvers<string>();
  let gone: string | undefined;
  let lastId = 0;

  function settle(id: number): Pending | undefined {
    const call = pending.get(id);
    clearTimeout(call?.timer);
    pending.delete(id);
    return call;
  }

  function end(reason: string): void {
    if (gone !== undefined) return;
    gone = reason;
    for (const id of pending.keys()) {
      const call = settle(id);
      call?.reject(new DeputyError("PROTOCOL", `${call.method} was not answered: ${reason}`));
    }
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
      } else {
        const call = settle(message.id);
        if (message.kind === "result") call?.resolve(message.result);
        else
          call?.reject(new DeputyError("PROTOCOL", `The browser refused ${call.method}: ${message.reason}`));
      }
    },
  });

  const connection: CdpConnection = {
    closed: closed.promise,
    call(method, params = {}, session) {
      if (gone !== undefined)
        return Promise.reject(new DeputyError("PROTOCOL", `${method} was not sent: ${gone}`));
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<CdpResult>();
      const timer = setTimeout(() => {
        settle(id)?.reject(
          new DeputyError("TIMEOUT", `The browser did not answer ${method} in ${timeoutMs} ms`),
        );
      }, timeoutMs);
      pending.set(id, { method, resolve, reject, timer });
      transport.send(
        JSON.stringify({ id, method, params, ...(session === undefined ? {} : { sessionId: session }) }),
      );
      return promise;
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
  | { readonly kind: "result"; readonly id: number; readonly result: CdpResult }
  | { readonly kind: "error"; readonly id: number; readonly reason: string };

/** Undefined for what is no message of the protocol. */
function parseMessage(text: string): Message | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(message)) return undefined;
  const { id, method, result, error, params, sessionId } = message;
  if (typeof id === "number") {
    if (!isObject(error)) return { kind: "result", id, result: isObject(result) ? result : {} };
    const reason = typeof error["message"] === "string" ? error["message"].slice(0, 300) : "no reason given";
    return { kind: "error", id, reason };
  }
  if (typeof method !== "string") return undefined;
  const session = typeof sessionId === "string" ? sessionId : null;
  return { kind: "event", event: { method, params: isObject(params) ? params : {}, session } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
