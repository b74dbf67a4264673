import type { EngineClient } from "../../engine/index.ts";
import type { ClientInfo } from "./agent-name.ts";

/** What an MCP server needs from outside. */
export interface McpParts {
  /** A connection to the engine for an agent of this name. */
  readonly open: (agent: ClientInfo) => Promise<EngineClient>;
  /** For whoever looks into why a client does not work; never what was sent. */
  readonly log: (line: string) => void;
}
