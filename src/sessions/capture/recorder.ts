import type { CdpEvent, CdpResult } from "../../cdp/index.ts";
import type { Body, Exchange, Header, SocketFrame } from "./exchange.ts";

type Call = (method: string, params: object) => Promise<CdpResult>;

/** One hop, as its events tell of it. */
interface Hop {
  readonly type: string;
  readonly request: CdpResult;
  readonly wall: number;
  readonly began: number;
  posted: Promise<Body | null>;
  response: CdpResult | undefined;
  /** Headers as they went over the wire come in events of their own, unless the answer came from elsewhere. */
  extra: boolean;
  ended: number | undefined;
  error: string | undefined;
  body: Promise<Body | null>;
  readonly frames: SocketFrame[];
}

interface Request {
  readonly hops: Hop[];
  readonly sentExtra: CdpResult[];
  readonly receivedExtra: CdpResult[];
}

const MOST_HOPS = 5000;
const MOST_BODY = 1024 * 1024;
/** Of a whole capture: an answer of the engine is one message. */
export const MOST_BODIES = 12 * 1024 * 1024;
const NONE = Promise.resolve(null);

/** Keeps what the Network domain tells of one target. */
export class Recorder {
  readonly #call: Call;
  readonly #requests = new Map<string, Request>();
  readonly #budget: { left: number };
  #hops = 0;
  #leftOut = 0;

  constructor(call: Call, budget: { left: number }) {
    this.#call = call;
    this.#budget = budget;
  }

  get leftOut(): number {
    return this.#leftOut;
  }

  hear({ method, params }: CdpEvent): void {
    const id = String(params["requestId"]);
    const last = () => this.#requests.get(id)?.hops.at(-1);
    switch (method) {
      case "Network.requestWillBeSent":
        return this.#begin(id, params);
      case "Network.requestWillBeSentExtraInfo":
        return void this.#request(id).sentExtra.push(params);
      case "Network.responseReceivedExtraInfo":
        return void this.#request(id).receivedExtra.push(params);
      case "Network.responseReceived":
        return answered(last(), params["response"], params["hasExtraInfo"] === true);
      case "Network.loadingFinished": {
        const hop = last();
        if (hop === undefined) return;
        hop.ended = seconds(params["timestamp"]);
        hop.body = this.#body(this.#call("Network.getResponseBody", { requestId: id }), "body");
        return;
      }
      case "Network.loadingFailed": {
        const hop = last();
        if (hop === undefined) return;
        hop.ended = seconds(params["timestamp"]);
        hop.error = String(params["blockedReason"] ?? params["errorText"]);
        return;
      }
      case "Network.webSocketCreated":
        return this.#add(
          id,
          "WebSocket",
          { url: params["url"], method: "GET", headers: {} },
          Date.now() / 1000,
          0,
        );
      case "Network.webSocketWillSendHandshakeRequest":
        return this.#shake(last(), params);
      case "Network.webSocketHandshakeResponseReceived":
        return answered(last(), params["response"], false);
      case "Network.webSocketFrameSent":
        return this.#frame(last(), "page", params);
      case "Network.webSocketFrameReceived":
        return this.#frame(last(), "server", params);
      case "Network.webSocketFrameError": {
        const hop = last();
        if (hop !== undefined) hop.error = String(params["errorMessage"]);
      }
    }
  }

  async exchanges(): Promise<Exchange[]> {
    const all: Exchange[] = [];
    for (const { hops, sentExtra, receivedExtra } of this.#requests.values()) {
      const [sent, received] = [[...sentExtra], [...receivedExtra]];
      for (const hop of hops) {
        const extra = hop.extra || hop.response === undefined;
        all.push(
          await exchangeOf(hop, extra ? sent.shift() : undefined, extra ? received.shift() : undefined),
        );
      }
    }
    return all;
  }

  #request(id: string): Request {
    const known = this.#requests.get(id);
    if (known !== undefined) return known;
    const made: Request = { hops: [], sentExtra: [], receivedExtra: [] };
    this.#requests.set(id, made);
    return made;
  }

  /** A redirect is told with the request that follows it. */
  #begin(id: string, params: CdpResult): void {
    const { redirectResponse, redirectHasExtraInfo, timestamp, wallTime, type } = params;
    const before = this.#requests.get(id)?.hops.at(-1);
    if (redirectResponse !== undefined && before !== undefined) {
      answered(before, redirectResponse, redirectHasExtraInfo === true);
      before.ended = seconds(timestamp);
    }
    this.#add(id, String(type), params["request"] as CdpResult, seconds(wallTime), seconds(timestamp));
  }

  #add(id: string, type: string, request: CdpResult, wall: number, began: number): void {
    if (this.#hops >= MOST_HOPS) return void this.#leftOut++;
    this.#hops++;
    const { postData, hasPostData } = request;
    const hop: Hop = {
      type,
      request,
      wall,
      began,
      posted: NONE,
      response: undefined,
      extra: false,
      ended: undefined,
      error: undefined,
      body: NONE,
      frames: [],
    };
    if (typeof postData === "string") hop.posted = Promise.resolve(this.#cut(postData, false));
    else if (hasPostData === true)
      hop.posted = this.#body(this.#call("Network.getRequestPostData", { requestId: id }), "postData");
    this.#request(id).hops.push(hop);
  }

  #shake(hop: Hop | undefined, params: CdpResult): void {
    if (hop === undefined) return;
    Object.assign(hop, {
      request: { ...hop.request, headers: (params["request"] as CdpResult)["headers"] },
      wall: seconds(params["wallTime"]),
      began: seconds(params["timestamp"]),
    });
  }

  #frame(hop: Hop | undefined, from: SocketFrame["from"], params: CdpResult): void {
    if (hop === undefined) return;
    const { payloadData, opcode } = params["response"] as CdpResult;
    if (hop.frames.length >= MOST_HOPS) return void this.#leftOut++;
    const at = (hop.wall + seconds(params["timestamp"]) - hop.began) * 1000;
    // RFC 6455 5.2: opcode 1 is text; others are given in base64.
    hop.frames.push({ at, from, body: this.#cut(String(payloadData), opcode !== 1) });
  }

  async #body(asked: Promise<CdpResult>, field: string): Promise<Body | null> {
    try {
      const answer = await asked;
      const text = answer[field];
      return typeof text === "string" ? this.#cut(text, answer["base64Encoded"] === true) : null;
    } catch {
      return null; // the browser has let go of it
    }
  }

  #cut(text: string, base64: boolean): Body {
    const most = Math.max(0, Math.min(MOST_BODY, this.#budget.left));
    this.#budget.left -= Math.min(text.length, most);
    return {
      text: text.length > most ? text.slice(0, most - (most % 4)) : text,
      base64,
      cut: text.length > most,
    };
  }
}

function answered(hop: Hop | undefined, response: unknown, extra: boolean): void {
  if (hop === undefined) return;
  hop.response = response as CdpResult;
  hop.extra = extra;
}

async function exchangeOf(hop: Hop, sent?: CdpResult, received?: CdpResult): Promise<Exchange> {
  const { request, response } = hop;
  return {
    type: hop.type,
    method: String(request["method"]),
    url: `${textOf(request["url"])}${textOf(request["urlFragment"])}`,
    started: hop.wall * 1000,
    duration_ms: hop.ended === undefined ? null : Math.max(0, (hop.ended - hop.began) * 1000),
    sent: {
      headers: headersOf(sent?.["headers"] ?? response?.["requestHeaders"] ?? request["headers"]),
      body: await hop.posted,
    },
    received:
      response === undefined
        ? null
        : {
            status: Number(received?.["statusCode"] ?? response["status"]),
            reason: textOf(response["statusText"]),
            protocol: textOf(response["protocol"]) || (hop.type === "WebSocket" ? "websocket" : ""),
            mime: textOf(response["mimeType"]),
            headers: headersOf(received?.["headers"] ?? response["headers"]),
            body: await hop.body,
            address: textOf(response["remoteIPAddress"]),
            cached: response["fromDiskCache"] === true || response["fromServiceWorker"] === true,
          },
    error: hop.error ?? null,
    frames: hop.frames,
  };
}

/** Several headers of one name arrive as lines of one text. */
function headersOf(headers: unknown): Header[] {
  return Object.entries((headers ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    String(value)
      .split("\n")
      .map((line) => [name, line] as const),
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function seconds(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
