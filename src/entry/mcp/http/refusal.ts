/** A request that is turned away before MCP sees it. The body is a JSON-RPC error, as MCP's clients expect. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 500;
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** JSON-RPC's own where it has one, else the first that servers may use. */
function rpcCode({ status, code }: Refusal): number {
  if (code === "PROTOCOL" && status === 400) return -32700;
  return status === 500 ? -32603 : -32000;
}

export function refuse(refusal: Refusal): Response {
  const { status, code, message, headers = {} } = refusal;
  const error = { code: rpcCode(refusal), message, data: { code } };
  return Response.json(
    { jsonrpc: "2.0", id: null, error },
    { status, headers: { "cache-control": "no-store", ...headers } },
  );
}
