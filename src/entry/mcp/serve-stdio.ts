import { serveStdio as serve, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Readable, Writable } from "node:stream";
import { agentName, type ClientInfo } from "./agent-name.ts";
import { createServer } from "./create-server.ts";
import { EngineLink } from "./engine-link.ts";
import { ListWatch } from "./list-watch.ts";
import type { McpParts } from "./mcp-parts.ts";
import { Toolbox } from "./toolbox.ts";

/** More than any call needs. A longer line ends the connection. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** Serves one client on a pair of streams, until it closes its end. */
export async function serveStdio(parts: McpParts, input: Readable, output: Writable): Promise<void> {
  using state = new DisposableStack();
  let link: EngineLink | undefined;
  // The first thing a client says of itself is what it is called: one connection is one agent.
  const linkFor = ({ name, version }: ClientInfo) =>
    (link ??= state.use(
      new EngineLink(parts.door({ name: agentName(name), ...(version === undefined ? {} : { version }) })),
    ));
  const tools = new Toolbox();
  const ended = Promise.withResolvers<void>();
  const transport = new StdioServerTransport(input, output, { maxBufferSize: LONGEST_LINE });
  const close = transport.close.bind(transport);
  transport.close = () => close().finally(ended.resolve); // the client went, or sent a line too long
  const handle = serve(
    () => {
      let watch: ListWatch | undefined;
      const server = createServer({
        linkFor,
        tools,
        onListed: (of) => {
          watch ??= state.use(
            new ListWatch(of, {
              tools: () => void server.sendToolListChanged().catch(() => {}),
              resources: () => void server.sendResourceListChanged().catch(() => {}),
            }),
          );
        },
      });
      return server;
    },
    { transport, onerror: (error) => parts.log(`stdio: ${error.name}`) },
  );
  await ended.promise;
  await handle.close();
}
