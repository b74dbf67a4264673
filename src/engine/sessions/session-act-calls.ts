import { Driver, type OpenSession } from "../../sessions/index.ts";
import type { CallContext, Calls } from "../methods.ts";

interface Parts {
  /** The session for the caller, awake, where the caller may use it. */
  readonly used: (session: string, operation: string, context: CallContext) => Promise<{ live: OpenSession }>;
  /** The log is told where the session was. */
  readonly contact: (host: string, method: string) => void;
}

export function createSessionActCalls({ used, contact }: Parts): Calls<"session.act"> {
  const drivers = new Map<string, Driver>();

  /** One a session: it knows which references its snapshots gave. */
  function driverOf(live: OpenSession): Driver {
    return drivers.getOrInsertComputed(live.id, () => {
      void live.ended.then(() => drivers.delete(live.id));
      return new Driver(live);
    });
  }

  return {
    "session.act": async (input, context) => {
      const {
        session,
        act: action,
        tab,
        snapshot,
        timeout_ms: timeoutMs,
        accept_dialogs: acceptDialogs,
      } = input;
      const { live } = await used(session, "act", context);
      if (action.do === "goto") note(action.url);
      const request = { action, tab, snapshot, timeoutMs, acceptDialogs };
      const acted = await driverOf(live).act(request, context.signal);
      note(acted.url);
      return acted;
    },
  };

  function note(url: string): void {
    if (URL.canParse(url) && /^https?:/.test(url)) contact(new URL(url).hostname, "GET");
  }
}
