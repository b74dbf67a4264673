import type { ServerContext } from "@modelcontextprotocol/server";
import type { Progress } from "../../engine/index.ts";

/** Progress of long work as notifications, where the client asked for them. */
export function progressOf({ mcpReq }: ServerContext): ((said: Progress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = 0;
  return ({ message, done, total, chunk }) => {
    if (chunk !== undefined) return;
    // MCP: the value must grow with each notification, whether or not the total is known.
    const progress = done !== undefined && done > last ? done : last + (done === undefined ? 1 : 0.001);
    last = progress;
    const params = { progressToken, progress, ...(total === undefined ? {} : { total }), message };
    void mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
