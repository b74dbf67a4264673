import type { IncomingMessage } from "node:http";
import { isJsonContentType } from "@modelcontextprotocol/server";
import type { Refusal } from "./refusal.ts";

/** More than any call needs. */
export const LARGEST_BODY = 4 * 1024 * 1024;

type Body = { readonly json: unknown } | Refusal;

/** The JSON of a POST. What is too large is refused when it says so, or when it turns out so, and never kept. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  if (!isJsonContentType(request.headers["content-type"] ?? null)) {
    return { status: 415, code: "PROTOCOL", message: "MCP is application/json" };
  }
  if (Number(request.headers["content-length"] ?? 0) > LARGEST_BODY) return tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  // What is too much is not kept, but read to its end: whoever sends it would otherwise not see the answer.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > LARGEST_BODY) return tooLarge();
    parts.push(part);
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
    return { json: JSON.parse(text) as unknown };
  } catch {
    return { status: 400, code: "PROTOCOL", message: "The body is not JSON" };
  }
}

function tooLarge(): Refusal {
  const message = `A message has at most ${LARGEST_BODY} bytes`;
  return { status: 413, code: "TOO_LARGE", message };
}
