import type { Credential, HeaderPair, Hop } from "../http/index.ts";
import { DeputyError } from "../kernel/index.ts";
import { asJson } from "./as-json.ts";

/** What a placement's templates came to: null and false stand for nothing. */
export interface Placed {
  readonly header: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Puts a key or token where its connection says. What the caller wrote there already stays. */
export function placeCredential(placed: Placed): Credential {
  const headers = Object.entries(placed.header).flatMap(([name, value]): HeaderPair[] =>
    isAbsent(value) ? [] : [[name, headerValue(name, value)]],
  );
  const query = Object.entries(placed.query).filter(([, value]) => !isAbsent(value));
  const body = Object.entries(placed.body).filter(([, value]) => !isAbsent(value));
  return { apply: (hop) => withBody(withQuery(withHeaders(hop, headers), query), body) };
}

function withHeaders(hop: Hop, headers: readonly HeaderPair[]): Hop {
  const given = new Set(hop.headers.map(([name]) => name.toLowerCase()));
  const missing = headers.filter(([name]) => !given.has(name.toLowerCase()));
  return missing.length === 0 ? hop : { ...hop, headers: [...hop.headers, ...missing] };
}

function withQuery(hop: Hop, query: readonly (readonly [string, unknown])[]): Hop {
  if (query.length === 0) return hop;
  const url = new URL(hop.url);
  for (const [name, value] of query)
    if (!url.searchParams.has(name)) url.searchParams.set(name, asText(value));
  return { ...hop, url };
}

function withBody(hop: Hop, fields: readonly (readonly [string, unknown])[]): Hop {
  if (fields.length === 0 || hop.method === "GET" || hop.method === "HEAD") return hop;
  const type = hop.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const text = hop.body === undefined ? "" : Buffer.from(hop.body).toString();
  if (type.startsWith("application/x-www-form-urlencoded")) {
    const form = new URLSearchParams(text);
    for (const [name, value] of fields) if (!form.has(name)) form.set(name, asText(value));
    return { ...hop, body: Buffer.from(form.toString()) };
  }
  if (text !== "" && !type.includes("json")) {
    throw new DeputyError("BAD_INPUT", "Cannot add the key to the body: it is neither JSON nor a form", {
      hint: "Give the request a JSON or form body, or place the key in a header.",
    });
  }
  const headers: readonly HeaderPair[] =
    type === "" ? [...hop.headers, ["Content-Type", "application/json"]] : hop.headers;
  const body = { ...Object.fromEntries(fields), ...parseObject(text) };
  return { ...hop, headers, body: Buffer.from(JSON.stringify(body)) };
}

function parseObject(text: string): object {
  if (text === "") return {};
  const parsed = asJson(text);
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed;
  throw new DeputyError("BAD_INPUT", "Cannot add the key to the body: it is not a JSON object", {
    hint: "Send an object as the body, or place the key in a header.",
  });
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || value === false;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function headerValue(name: string, value: unknown): string {
  const text = asText(value).trim();
  // A newline in a stored key would add a header of its own; other bytes the transport would drop.
  if (/^[\x20-\x7e]+$/.test(text)) return text;
  throw new DeputyError(
    "BAD_INPUT",
    `Cannot send the stored key as ${name}: it has characters no header carries`,
    {
      hint: "Store it again without line breaks: deputy login",
    },
  );
}
