import { type CallToolResult, InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { DeputyError } from "../../kernel/index.ts";
import { createServer } from "./create-server.ts";
import { EngineLink } from "./engine-link.ts";
import type { McpParts } from "./mcp-parts.ts";
import { Toolbox } from "./toolbox.ts";

/** The agent that checks are made as: grants for it have to be given by name, like any other's. */
const AGENT = "deputy-mcp-call";

/** Calls one tool as a client would: a handshake, a call, and good-bye. */
export async function callOnce(parts: McpParts, tool: string, given: unknown): Promise<CallToolResult> {
  using link = new EngineLink(parts.door({ name: AGENT }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = createServer({ linkFor: () => link, tools: new Toolbox() });
  await server.connect(far);
  const waiting = new Map<number, (message: JSONRPCMessage) => void>();
  const take = (message: JSONRPCMessage) => {
    if ("id" in message && !("method" in message)) waiting.get(Number(message.id))?.(message);
  };
  Object.assign(near, { onmessage: take });
  await near.start();
  const ask = async (id: number, method: string, params: Record<string, unknown>) => {
    const { promise, resolve } = Promise.withResolvers<JSONRPCMessage>();
    waiting.set(id, resolve);
    await near.send({ jsonrpc: "2.0", id, method, params });
    return promise;
  };
  try {
    const clientInfo = { name: AGENT, version: "1" };
    await ask(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    await near.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    const answer = await ask(2, "tools/call", { name: tool, arguments: given });
    if ("result" in answer) return answer.result as CallToolResult;
    const said = "error" in answer ? answer.error.message : "no answer";
    throw new DeputyError("BAD_INPUT", `The server refused the call: ${said}`, {
      hint: "The tools are: deputy mcp call readme '{}'",
    });
  } finally {
    await near.close();
  }
}
