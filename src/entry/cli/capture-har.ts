import { type CaptureAnswer, version } from "../../engine/index.ts";

type Exchange = CaptureAnswer["exchanges"][number];
type Header = Exchange["sent"]["headers"][number];

/** HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), with WebSocket frames as Chrome's DevTools write them. */
export function captureHar(capture: CaptureAnswer): object {
  const [first] = capture.exchanges;
  const page = {
    startedDateTime: time(first?.started ?? 0),
    id: "page_1",
    title: capture.url,
    pageTimings: { onContentLoad: -1, onLoad: -1 },
  };
  return {
    log: {
      version: "1.2",
      creator: { name: "deputy", version },
      pages: [page],
      entries: capture.exchanges.map(entry),
    },
  };
}

function entry(one: Exchange): object {
  const { sent, received, frames } = one;
  const duration = one.duration_ms ?? 0;
  const query = URL.canParse(one.url) ? [...new URL(one.url).searchParams] : [];
  return {
    pageref: "page_1",
    startedDateTime: time(one.started),
    time: duration,
    request: {
      method: one.method,
      url: one.url,
      httpVersion: received?.protocol || "unknown",
      cookies: sent.headers.filter(isNamed("cookie")).flatMap(([, value]) => value.split(/; ?/).map(cookie)),
      headers: sent.headers.map(named),
      queryString: query.map(named),
      ...(sent.body === null
        ? {}
        : { postData: { mimeType: find(sent.headers, "content-type"), text: sent.body.text } }),
      headersSize: -1,
      bodySize: sent.body?.text.length ?? 0,
    },
    response: {
      status: received?.status ?? 0,
      statusText: received?.reason ?? "",
      httpVersion: received?.protocol || "unknown",
      cookies: (received?.headers ?? []).filter(isNamed("set-cookie")).map(([, value]) => setCookie(value)),
      headers: (received?.headers ?? []).map(named),
      content: content(received),
      redirectURL: find(received?.headers ?? [], "location"),
      headersSize: -1,
      bodySize: -1,
      ...(one.error === null ? {} : { _error: one.error }),
    },
    cache: {},
    timings: { send: 0, wait: duration, receive: 0 },
    ...(received?.address ? { serverIPAddress: received.address } : {}),
    _resourceType: one.type.toLowerCase(),
    ...(one.type === "WebSocket"
      ? {
          _webSocketMessages: frames.map(({ at, from, body }) => ({
            type: from === "page" ? "send" : "receive",
            time: at / 1000,
            opcode: body.base64 ? 2 : 1,
            data: body.text,
          })),
        }
      : {}),
  };
}

function content(received: Exchange["received"]): object {
  const body = received?.body ?? null;
  const size =
    body === null ? 0 : body.base64 ? Math.floor((body.text.length * 3) / 4) : Buffer.byteLength(body.text);
  return {
    size,
    mimeType: received?.mime || "x-unknown",
    ...(body === null ? {} : { text: body.text, ...(body.base64 ? { encoding: "base64" } : {}) }),
    ...(body?.cut ? { comment: "cut" } : {}),
  };
}

function cookie(pair: string): { name: string; value: string } {
  const at = pair.indexOf("=");
  return { name: pair.slice(0, Math.max(at, 0)), value: pair.slice(at + 1) };
}

function setCookie(line: string): object {
  const [pair = "", ...attributes] = line.split(/; ?/);
  const has = (name: string) => attributes.some((one) => one.toLowerCase() === name);
  const value = (name: string) =>
    attributes.find((one) => one.toLowerCase().startsWith(`${name}=`))?.split("=")[1];
  const [path, domain] = [value("path"), value("domain")];
  return {
    ...cookie(pair),
    ...(path === undefined ? {} : { path }),
    ...(domain === undefined ? {} : { domain }),
    httpOnly: has("httponly"),
    secure: has("secure"),
  };
}

function isNamed(wanted: string): (header: Header) => boolean {
  return ([name]) => name.toLowerCase() === wanted;
}

function find(headers: readonly Header[], name: string): string {
  return headers.find(isNamed(name))?.[1] ?? "";
}

function named([name, value]: readonly [string, string]): { name: string; value: string } {
  return { name, value };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
