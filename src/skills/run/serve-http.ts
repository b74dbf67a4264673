import type { Loan } from "../../auth/index.ts";
import {
  type HeaderPair,
  headers as dressing,
  type Knobs,
  type OutRequest,
  readBytes,
} from "../../http/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { HostDress, HostRequest, HostResponse } from "../hosts/code-job.ts";
import type { Handles } from "./handles.ts";
import { sendCovered } from "./send-covered.ts";

/** A request of skill code, sent with the run's login: what the code holds as handles is put in on the way out. */
export async function serveHttp(
  request: HostRequest,
  { loan, handles, signal }: { readonly loan: Loan; readonly handles: Handles; readonly signal: AbortSignal },
): Promise<HostResponse> {
  const base = loan.connection.baseUrl?.href;
  if (!URL.canParse(request.url, base)) {
    throw new DeputyError(
      "BAD_INPUT",
      "Cannot send the request: its URL is neither whole nor below a base_url",
      { hint: "Give it whole, or give the connection a base_url." },
    );
  }
  let carries = false;
  const uncover = (text: string) => {
    carries ||= handles.has(text);
    return handles.uncover(text, request.url, loan);
  };
  const {
    http2,
    ua,
    headers: knobs = [],
  } = request.dress === undefined ? {} : dressing(knobsOf(request.dress));
  const own = request.headers.map(([name, value]): HeaderPair => [name, uncoverHeader(value, uncover)]);
  const given = new Set(own.map(([name]) => name.toLowerCase()));
  const headers = [...own, ...knobs.filter(([name]) => !given.has(name.toLowerCase()))];
  const cookie = ownCookies(request, { loan, handles, uncover });
  const out = {
    method: request.method.toUpperCase(),
    url: uncover(request.url),
    headers: [...headers.filter(([name]) => name.toLowerCase() !== "cookie"), ...cookie],
    ...bodyOf(request, uncover, handles),
    ...optional("http2", request.http2 ?? http2),
    ...optional("ua", ua),
    ...optional("mode", request.mode ?? modeFor(request, loan)),
    ...optional("jar", request.jar),
    ...optional("skipCookies", request.skipCookies),
    ...optional("timeoutMs", request.timeoutMs),
    ...optional("redirect", request.redirect),
  } satisfies OutRequest;
  const response = carries ? await sendCovered(loan, out, { signal }) : await loan.send(out, { signal });
  const body = await readBytes(response);
  const cookies = request.session === true ? await sessionCookies(loan, handles) : undefined;
  return {
    status: response.status,
    url: response.url,
    headers: response.headers,
    body,
    ...optional("cookies", cookies),
  };
}

/** `Basic` wraps a user and a password, either of which may be a handle. */
function uncoverHeader(value: string, uncover: (text: string) => string): string {
  const [, scheme = "", wrapped = ""] = /^(basic\s+)([A-Za-z0-9+/=]+)$/i.exec(value) ?? [];
  if (wrapped === "") return uncover(value);
  const inside = Buffer.from(wrapped, "base64").toString("utf8");
  const revealed = uncover(inside);
  return revealed === inside ? value : `${scheme}${Buffer.from(revealed).toString("base64")}`;
}

async function sessionCookies(loan: Loan, handles: Handles): Promise<Record<string, string> | undefined> {
  const type = loan.connection.auth?.type;
  if (type !== undefined && type !== "cookies") return undefined;
  const { cookies: _, ...values } = await loan.auth();
  return handles.cover(values) as Record<string, string>;
}

/**
 * Code that passes the login's cookies on by hand means the jar: the jar knows what has rotated since. Other cookies it
 * made itself are sent as they are.
 */
function ownCookies(
  request: HostRequest,
  { loan, handles, uncover }: { loan: Loan; handles: Handles; uncover: (text: string) => string },
): HeaderPair[] {
  const written =
    request.cookies ?? request.headers.find(([name]) => name.toLowerCase() === "cookie")?.[1] ?? "";
  const meansJar = loan.connection.auth?.type === "cookies" && handles.begins(written.trim());
  return written === "" || meansJar ? [] : [["Cookie", uncover(written)]];
}

/** In api mode no cookie goes by itself; code that passes them on by hand, or keeps a session, wants them sent. */
function modeFor(request: HostRequest, loan: Loan): OutRequest["mode"] {
  const byHand =
    request.cookies !== undefined || request.headers.some(([name]) => name.toLowerCase() === "cookie");
  const { mode, auth } = loan.connection;
  const keepsJar = request.session === true && (auth === null || auth.type === "cookies");
  return (byHand || keepsJar) && mode === "api" ? "fetch" : undefined;
}

function bodyOf(
  { body }: HostRequest,
  uncover: (text: string) => string,
  handles: Handles,
): { body?: Uint8Array } {
  if (body === undefined) return {};
  const text = Buffer.from(body).toString("latin1");
  return handles.has(text) ? { body: Buffer.from(uncover(Buffer.from(body).toString()), "utf8") } : { body };
}

function knobsOf({ waf, ua, mode, accept, extra }: HostDress): Knobs {
  const oneOf = <const T extends string>(value: string | undefined, known: readonly T[]): T | undefined =>
    known.find((one) => one === value);
  return {
    ...optional("waf", oneOf(waf === "cloudflare" ? "cf" : waf, ["cf", "vercel"])),
    ...optional("ua", ua),
    ...optional("mode", oneOf(mode, ["fetch", "navigate"])),
    ...optional("accept", oneOf(accept, ["json", "html", "any"])),
    ...optional("extra", extra),
  };
}

function optional<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [P in K]?: V };
}
