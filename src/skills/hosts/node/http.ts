import type { HttpOptions, SkillHttp, SkillResponse } from "../../sdk.ts";
import type { Connection } from "./connection.ts";
import { readResponse, type WireBody, type WireResponse } from "./response.ts";

type Pairs = [string, string][];

/** Requests are messages: what they are sent with, and as whom, the engine adds. */
export function createHttp(connection: Connection, defaults: HttpOptions = {}): SkillHttp {
  async function request(method: string, url: string, options: HttpOptions = {}): Promise<SkillResponse> {
    const merged = merge(defaults, options);
    const { headers, query, json, form, body, ...rest } = merged;
    const given = pairsOf(headers);
    const encoded = await encodeBody({ json, form, body });
    if (encoded?.type !== undefined && !given.some(([name]) => name.toLowerCase() === "content-type"))
      given.push(["Content-Type", encoded.type]);
    const answer = await connection.request("http", {
      ...rest,
      method,
      url: addQuery(url, query),
      headers: given,
      ...(encoded === undefined ? {} : { body: encoded.body }),
    });
    return readResponse(answer as WireResponse);
  }

  const verb = (method: string) => (url: string, options?: HttpOptions) => request(method, url, options);
  return {
    request,
    get: verb("GET"),
    post: verb("POST"),
    put: verb("PUT"),
    patch: verb("PATCH"),
    delete: verb("DELETE"),
    head: verb("HEAD"),
    client: (options) => createHttp(connection, merge(defaults, options ?? {})),
    headers: (knobs) => ({ dress: knobs }),
  };
}

function merge(defaults: HttpOptions, options: HttpOptions): HttpOptions {
  const headers = new Map<string, [string, string]>();
  for (const pair of [...pairsOf(defaults.headers), ...pairsOf(options.headers)])
    headers.set(pair[0].toLowerCase(), pair);
  const dress = { ...defaults.dress, ...options.dress };
  return {
    ...defaults,
    ...options,
    headers: [...headers.values()],
    ...(Object.keys(dress).length === 0 ? {} : { dress }),
  };
}

function pairsOf(headers: HttpOptions["headers"]): Pairs {
  const entries =
    headers === undefined ? [] : Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return entries.map(([name, value]: readonly [string, unknown]) => [name, String(value)]);
}

function addQuery(url: string, query: HttpOptions["query"]): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  if (search.size === 0) return url;
  const [before = "", fragment] = url.split("#", 2);
  const joined = `${before}${before.includes("?") ? "&" : "?"}${search.toString()}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

interface Encoded {
  readonly type?: string;
  readonly body: WireBody;
}

async function encodeBody({
  json,
  form,
  body,
}: {
  [K in "json" | "form" | "body"]: HttpOptions[K] | undefined;
}): Promise<Encoded | undefined> {
  if (json !== undefined) return { type: "application/json", body: { text: JSON.stringify(json) } };
  const fields = form === undefined ? body : new URLSearchParams(form);
  if (fields instanceof URLSearchParams)
    return {
      type: "application/x-www-form-urlencoded;charset=UTF-8",
      body: { text: fields.toString() },
    };
  if (fields === undefined) return undefined;
  if (typeof fields === "string") return { body: { text: fields } };
  if (fields instanceof Uint8Array) return { body: { base64: Buffer.from(fields).toString("base64") } };
  // Multipart: the platform's own encoder knows the boundary.
  const response = new Response(fields);
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get("content-type");
  return { ...(type === null ? {} : { type }), body: { base64: bytes.toString("base64") } };
}
