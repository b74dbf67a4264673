export type Header = readonly [name: string, value: string];

export interface Body {
  readonly text: string;
  /** It is no text: what is here is base64. */
  readonly base64: boolean;
  /** There was more. */
  readonly cut: boolean;
}

/** A frame of a WebSocket. */
export interface SocketFrame {
  readonly at: number;
  readonly from: "page" | "server";
  readonly body: Body;
}

/** A request and what came of it, as the browser sent and received it. Each hop of a redirect is one. */
export interface Exchange {
  /** As the browser calls it: `Document`, `Fetch`, `XHR`, `WebSocket`, `Script` … */
  readonly type: string;
  readonly method: string;
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly duration_ms: number | null;
  readonly sent: { readonly headers: readonly Header[]; readonly body: Body | null };
  /** Null where no answer came: `error` says why. */
  readonly received: {
    readonly status: number;
    readonly reason: string;
    readonly protocol: string;
    readonly mime: string;
    readonly headers: readonly Header[];
    readonly body: Body | null;
    readonly address: string;
    readonly cached: boolean;
  } | null;
  readonly error: string | null;
  readonly frames: readonly SocketFrame[];
}

/** Where a page wanted to go when it was not let. */
export interface WantedNavigation {
  readonly url: string;
  readonly type: string;
  /** What a form would have sent. */
  readonly form: readonly Header[] | null;
}

export interface Capture {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  readonly navigations: readonly WantedNavigation[];
  /** What was left out, in words. */
  readonly warnings: readonly string[];
}
