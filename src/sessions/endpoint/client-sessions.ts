import type { CdpConnection, CdpEvent } from "../../cdp/index.ts";
import type { ClientSession, TargetFilter } from "./scope.ts";

/** The DevTools sessions of one client. What is not in here it cannot name. */
export class ClientSessions implements Disposable {
  readonly #connection: CdpConnection;
  readonly #onEvent: (session: ClientSession, event: CdpEvent) => void;
  readonly #all = new Map<string, { session: ClientSession; listening: Disposable }>();
  /** Who asked for news of targets, and of which. */
  readonly discovering = new Map<string, readonly TargetFilter[] | null>();

  constructor(options: {
    connection: CdpConnection;
    onEvent: (session: ClientSession, event: CdpEvent) => void;
  }) {
    this.#connection = options.connection;
    this.#onEvent = options.onEvent;
  }

  get(id: string): ClientSession | undefined {
    return this.#all.get(id)?.session;
  }

  /** Listens from now on: an attached session's first events follow the event that tells of it at once. */
  add(session: ClientSession): void {
    const listening = this.#connection.on(session.id, (event) => this.#onEvent(session, event));
    this.#all.set(session.id, { session, listening });
  }

  /** With those that were attached from it, which end with it. */
  drop(id: string): void {
    this.#all.get(id)?.listening[Symbol.dispose]();
    this.#all.delete(id);
    this.discovering.delete(id);
    for (const { session } of this.#all.values()) if (session.parent === id) this.drop(session.id);
  }

  ofTarget(targetId: string): ClientSession[] {
    return [...this.#all.values()]
      .map(({ session }) => session)
      .filter((session) => session.targetId === targetId);
  }

  /** Those that Deputy attached for the client, from which all others come. */
  first(): string[] {
    return [...this.#all.values()]
      .filter(({ session }) => session.parent === null)
      .map(({ session }) => session.id);
  }

  [Symbol.dispose](): void {
    for (const id of this.#all.keys()) this.drop(id);
  }
}
