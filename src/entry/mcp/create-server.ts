import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool as ListedTool,
} from "@modelcontextprotocol/server";
import { version } from "../../engine/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { ClientInfo } from "./agent-name.ts";
import { askUser, declined } from "./ask-user.ts";
import { clientOf } from "./client-of.ts";
import type { EngineLink } from "./engine-link.ts";
import { errorAnswer } from "./error-answer.ts";
import { progressOf } from "./progress.ts";
import { addResources } from "./resources.ts";
import { type Ask, type Tool, toResult } from "./tool.ts";

/** What an MCP server is made of, whatever carries it. */
export interface ServerParts {
  /** The way to the engine for the client of this connection. */
  readonly linkFor: (client: ClientInfo) => EngineLink;
  readonly tools: {
    list(ask: Ask): Promise<Tool[]>;
    find(name: string, ask: Ask): Promise<Tool | undefined>;
  };
  /** A client has seen the lists: from now on it wants to know when they change. */
  readonly onListed?: (link: EngineLink) => void;
}

const INSTRUCTIONS =
  "Deputy lets you act as the user at their services without ever seeing their logins. Call readme first: it says what is ready and how to call it.";

/** One client's MCP server: every call goes to the engine, as the agent that client is. */
export function createServer({ linkFor, tools, onListed }: ServerParts): Server {
  const server = new Server(
    { name: "deputy", title: "Deputy", version },
    {
      capabilities: { tools: { listChanged: true }, resources: { listChanged: true } },
      instructions: INSTRUCTIONS,
    },
  );
  const linkOf = (context: ServerContext) => linkFor(clientOf(server, context));

  server.setRequestHandler("tools/list", async (_request, context) => {
    const link = linkOf(context);
    const listed = await tools.list(asking(link, context));
    onListed?.(link);
    return { tools: listed.map(asListed) };
  });

  server.setRequestHandler("tools/call", async ({ params: { name, arguments: given } }, context) => {
    const ask = asking(linkOf(context), context);
    const tool = await tools.find(name, ask);
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
    const result = await outcome(server, tool, given, ask, context);
    return isInputRequiredResult(result) ? result : server.projectCallToolResult(result, tool.outputSchema);
  });

  addResources(server, linkOf, asking, onListed);
  return server;
}

async function outcome(
  server: Server,
  tool: Tool,
  given: unknown,
  ask: Ask,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const refused = declined(context);
  if (refused !== undefined) return refused;
  try {
    return toResult(await tool.call(given, ask, context));
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const question = error instanceof DeputyError ? askUser(error, server, context) : undefined;
    if (question !== undefined) return question;
    return errorAnswer(error, tool.name);
  }
}

/** Calls of one request end with it, and what they say on the way goes to its client. */
function asking(link: EngineLink, context: ServerContext): Ask {
  const progress = progressOf(context);
  const { signal } = context.mcpReq;
  return async (method, input, options) => {
    try {
      const onProgress = progress === undefined ? {} : { onProgress: progress.tell };
      return await link.call(method, input, { ...options, signal, ...onProgress });
    } finally {
      await progress?.sent();
    }
  };
}

function asListed({ name, title, description, inputSchema, outputSchema, annotations }: Tool): ListedTool {
  const output = outputSchema === undefined ? {} : { outputSchema: { ...outputSchema } };
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema },
    ...output,
    annotations: { title, ...annotations },
  };
}
