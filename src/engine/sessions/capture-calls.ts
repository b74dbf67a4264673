import {
  type Capture,
  captureAt,
  captureInSession,
  type OpenSession,
  type SessionOwner,
  type Sessions,
} from "../../sessions/index.ts";
import { newId } from "../../kernel/index.ts";
import type { CallContext, Calls, Methods } from "../methods.ts";

interface Parts {
  readonly sessions: Sessions;
  readonly ownerOf: (caller: CallContext["caller"]) => SessionOwner;
  /** The session for the caller, awake, where the caller may use it. */
  readonly used: (session: string, operation: string, context: CallContext) => Promise<{ live: OpenSession }>;
  readonly contact: (host: string, method: string) => void;
}

const WAIT_MS = 2000;

/** Whatever a page sends and receives: in a session, in a browser that runs, or in an empty session of its own. */
export function createCaptureCalls({ sessions, ownerOf, used, contact }: Parts): Calls<"browse.capture"> {
  return {
    "browse.capture": async (input, context) => {
      const capture = await captured(input, context);
      for (const { url, method } of capture.exchanges)
        if (/^(https?|wss?):/.test(url)) contact(new URL(url).hostname, method);
      return capture;
    },
  };

  async function captured(input: Methods["browse.capture"]["in"], context: CallContext): Promise<Capture> {
    const { url, session, cdp, pattern, wait_ms = WAIT_MS, reveal = false, click, evaluate } = input;
    const request = {
      url,
      waitMs: wait_ms,
      pattern,
      reveal,
      keepFromLeaving: input.intercept_navigation,
      ...(click !== undefined
        ? { action: { do: "click", element: click } as const }
        : evaluate !== undefined
          ? { action: { do: "evaluate", script: evaluate } as const }
          : {}),
    };
    const { signal, caller } = context;
    if (cdp !== undefined) return captureAt(cdp, request, signal);
    if (session !== undefined) {
      const { live } = await used(session, "capture", context);
      return captureInSession(live, request, signal);
    }
    const owner = ownerOf(caller);
    const { id } = await sessions.open(
      {
        owner,
        source: { kind: "blank" },
        name: newId("capture"),
        seed: async () => ({ cookies: [], origins: [], storageOf: async () => undefined, warnings: [] }),
        allow: null,
        expose: false,
        writeBack: null,
      },
      signal,
    );
    try {
      return await captureInSession(await sessions.live(owner, id, signal), request, signal);
    } finally {
      await sessions.dispose(owner, id).catch(() => {}); // gone with its browser
    }
  }
}
