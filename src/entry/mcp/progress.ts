import type { ServerContext } from "@modelcontextprotocol/server";
import type { Progress } from "../../engine/index.ts";

interface ProgressNews {
  readonly tell: (said: Progress) => void;
  /** All that was told has been sent: what comes after the answer is nobody's. */
  readonly sent: () => Promise<void>;
}

/** Progress of long work as notifications, where the client asked for them. */
export function progressOf({ mcpReq }: ServerContext): ProgressNews | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = 0;
  const sending: Promise<void>[] = [];
  const tell = ({ message, done, total, chunk }: Progress) => {
    if (chunk !== undefined) return;
    // MCP: the value must grow with each notification, whether or not the total is known.
    const progress = done !== undefined && done > last ? done : last + (done === undefined ? 1 : 0.001);
    last = progress;
    const params = { progressToken, progress, ...(total === undefined ? {} : { total }), message };
    sending.push(mcpReq.notify({ method: "notifications/progress", params }).catch(() => {}));
  };
  return { tell, sent: async () => void (await Promise.all(sending.splice(0))) };
}
