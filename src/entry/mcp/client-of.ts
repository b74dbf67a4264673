import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ClientInfo } from "./agent-name.ts";

/** The part of a request that says who sends it, since 2026-07-28; checked by the SDK. */
interface Envelope {
  readonly [CLIENT_INFO_META_KEY]?: Implementation;
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

/** Who is calling: revisions up to 2025-11-25 say it once, later ones with every request. */
export function clientOf(server: Server, context: ServerContext): ClientInfo {
  const said = envelopeOf(context)[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  return said === undefined ? { name: "" } : { name: said.name, version: said.version };
}

/** Whether the client can show its user a question. */
export function canAskUser(server: Server, context: ServerContext): boolean {
  const able = envelopeOf(context)[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const { elicitation } = able ?? {};
  // Before there were modes, forms were all there was.
  return elicitation !== undefined && ("form" in elicitation || !("url" in elicitation));
}

function envelopeOf({ mcpReq }: ServerContext): Envelope {
  return mcpReq.envelope ?? {};
}
