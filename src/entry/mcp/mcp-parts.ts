import type { ClientInfo } from "./agent-name.ts";
import type { EngineDoor } from "./engine-link.ts";

/** What an MCP server needs from outside. */
export interface McpParts {
  /** The way to the engine for an agent of this name. */
  readonly door: (agent: ClientInfo) => EngineDoor;
  /** For whoever looks into why a client does not work; never what was sent. */
  readonly log: (line: string) => void;
}
