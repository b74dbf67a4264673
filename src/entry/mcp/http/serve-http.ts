import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
} from "@modelcontextprotocol/server";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DeputyError } from "../../../kernel/index.ts";
import { createServer, type ServerParts } from "../create-server.ts";
import { EngineLink } from "../engine-link.ts";
import { ListWatch } from "../list-watch.ts";
import type { McpParts } from "../mcp-parts.ts";
import { Toolbox } from "../toolbox.ts";
import { readBody } from "./body.ts";
import { admit } from "./guard.ts";
import { sendWebResponse, toWebRequest } from "./node-exchange.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { Sessions } from "./sessions.ts";

interface HttpParts extends McpParts {
  /** Whose token it is. */
  readonly clientOf: (token: string) => string | undefined;
  /** What each client is served; tests put their fixtures in here. */
  readonly makeServer?: (parts: ServerParts) => Server;
  readonly tools?: ServerParts["tools"];
}

export interface HttpServing extends AsyncDisposable {
  readonly port: number;
  /** Tells clients since 2026-07-28 that something changed. */
  readonly notify: McpHttpHandler["notify"];
}

/**
 * A connection that is closed in the moment its client uses it again costs that client a call it cannot repeat. So they are kept
 * for longer than a client pauses, and longer still than it is told.
 */
const KEEP_ALIVE = { keepAliveTimeout: 120_000, keepAliveTimeoutBuffer: 30_000 };

/** Serves every client with a token, on this machine only. */
export async function serveHttp(parts: HttpParts, port: number): Promise<HttpServing> {
  const { makeServer = createServer, tools = new Toolbox() } = parts;
  const open = (client: string, version?: string) =>
    new EngineLink(parts.door({ name: client, ...(version === undefined ? {} : { version }) }));

  const sessions = new Sessions((client) => {
    const state = new DisposableStack();
    let link: EngineLink | undefined;
    let watch: ListWatch | undefined;
    const server = makeServer({
      tools,
      linkFor: ({ version }) => (link ??= state.use(open(client, version))),
      onListed: (of) => {
        watch ??= state.use(
          new ListWatch(of, {
            tools: () => void server.sendToolListChanged().catch(() => {}),
            resources: () => void server.sendResourceListChanged().catch(() => {}),
          }),
        );
      },
    });
    return { server, end: () => state.dispose() };
  });

  // Since 2026-07-28 there are no sessions: a client is one agent, however many requests it sends.
  const shared = new DisposableStack();
  const links = new Map<string, EngineLink>();
  const watched = new Set<EngineLink>();
  const linkOf = (client: string) => links.getOrInsertComputed(client, () => shared.use(open(client)));
  const modern: McpHttpHandler = createMcpHandler(
    ({ authInfo }) =>
      makeServer({
        tools,
        linkFor: () => linkOf(authInfo?.clientId ?? ""),
        onListed: (link) => {
          if (watched.has(link)) return;
          watched.add(link);
          shared.use(
            new ListWatch(link, {
              tools: () => modern.notify.toolsChanged(),
              resources: () => modern.notify.resourcesChanged(),
            }),
          );
        },
      }),
    { legacy: "reject", onerror: (error) => parts.log(`http: ${error.name}`) },
  );

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response | Refusal> {
    const asked = { method: incoming.method ?? "", url: incoming.url ?? "", headers: incoming.headers };
    const admitted = admit(asked, parts.clientOf);
    if ("status" in admitted) return admitted;
    const body = asked.method === "POST" ? await readBody(incoming) : { json: undefined };
    if ("status" in body) return body;
    const request = toWebRequest(incoming, outgoing);
    const { client } = admitted;
    if (await isLegacyRequest(request, body.json)) return sessions.handle(client, request, body.json);
    const authInfo = { token: "", clientId: client, scopes: [] };
    return modern.fetch(request, { parsedBody: body.json, authInfo });
  }

  const server = createHttpServer(KEEP_ALIVE, (incoming, outgoing) => {
    void (async () => {
      try {
        const answered = await answer(incoming, outgoing);
        await sendWebResponse(answered instanceof Response ? answered : refuse(answered), outgoing);
      } catch (error) {
        parts.log(`http: ${error instanceof Error ? error.name : typeof error}`);
        if (outgoing.headersSent) outgoing.destroy();
        else
          await sendWebResponse(
            refuse({ status: 500, code: "INTERNAL", message: "Deputy failed inside" }),
            outgoing,
          );
      }
    })();
  });
  await listen(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    notify: modern.notify,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      await sessions[Symbol.asyncDispose]();
      await modern.close();
      shared.dispose();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: ReturnType<typeof createHttpServer>, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "another program has it" : (error.code ?? error.name);
      reject(
        new DeputyError("CONFLICT", `Cannot listen on port ${port}: ${why}`, {
          hint: "Choose another: deputy mcp --http 8809",
          cause: error,
        }),
      );
    });
    server.listen(port, "127.0.0.1", resolve);
  });
}
