import { findEngine, openEngine, version } from "../../engine/index.ts";
import type { ClientInfo } from "./agent-name.ts";
import type { EngineDoor } from "./engine-link.ts";

/** The real engine's. One of another version is left to `open`, which replaces it. */
export function engineDoor(agent: ClientInfo): EngineDoor {
  return {
    open: () => openEngine({ via: "mcp", agent }),
    async find() {
      const found = await findEngine({ via: "mcp", agent });
      if (found === undefined || found.engine.version === version) return found;
      found[Symbol.dispose]();
      return undefined;
    },
  };
}
