import { openEngine } from "../../engine/index.ts";
import type { ClientInfo } from "./agent-name.ts";
import type { EngineDoor } from "./engine-link.ts";

/** The real engine's. */
export function engineDoor(agent: ClientInfo): EngineDoor {
  return () => openEngine({ via: "mcp", agent });
}
