import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import type { IncomingHttpHeaders } from "node:http";
import type { Refusal } from "./refusal.ts";

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

type Admitted = { readonly client: string } | Refusal;

const PATH = "/mcp";
const METHODS = ["POST", "GET", "DELETE"];

/**
 * Who is let in. The name in Host says whether a web page's own name was pointed at this machine (DNS rebinding), Origin
 * whether a page of somebody else's sends it; only then is the token looked at, in `Authorization: Bearer` or, for clients that
 * cannot send headers, as the last part of the path.
 */
export function admit(asked: Asked, clientOf: (token: string) => string | undefined): Admitted {
  const { host, origin } = asked.headers;
  if (!validateHostHeader(host, localhostAllowedHostnames()).ok) {
    return { status: 403, code: "DENIED", message: "This server answers to the name localhost only" };
  }
  if (!validateOriginHeader(origin, localhostAllowedOrigins()).ok) {
    return { status: 403, code: "DENIED", message: "Pages of other sites may not use this server" };
  }
  const path = pathOf(asked.url);
  if (path === undefined || (path !== PATH && !path.startsWith(`${PATH}/`))) {
    return { status: 404, code: "NOT_FOUND", message: `MCP is at ${PATH}` };
  }
  const token = bearerIn(asked.headers.authorization) ?? path.slice(PATH.length + 1);
  const client = token === "" ? undefined : clientOf(token);
  if (client === undefined) {
    const message = token === "" ? "A token is needed: deputy mcp token NAME" : "This token is not known";
    return { status: 401, code: "DENIED", message, headers: { "www-authenticate": 'Bearer realm="deputy"' } };
  }
  if (!METHODS.includes(asked.method)) {
    const headers = { allow: METHODS.join(", ") };
    return { status: 405, code: "BAD_USAGE", message: "MCP uses POST, GET and DELETE", headers };
  }
  return { client };
}

function pathOf(url: string): string | undefined {
  return URL.parse(url, "http://localhost")?.pathname;
}

function bearerIn(header: string | undefined): string | undefined {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(header ?? "")?.[1];
}
