import type { LiveSession } from "../session.ts";

/** Serves sessions to clients of the DevTools protocol, on one loopback port, which is opened at the first need. */
export interface EndpointServer extends AsyncDisposable {
  serve(session: LiveSession): Promise<ServedEndpoint>;
}

export interface ServedEndpoint extends AsyncDisposable {
  /** `ws://127.0.0.1:PORT/…TOKEN…`: whoever knows it drives this session and nothing else. */
  readonly url: string;
}
