import { join } from "node:path";
import { DeputyError } from "../../kernel/index.ts";
import { agentName } from "./agent-name.ts";
import { engineDoor } from "./engine-door.ts";
import type { HttpServing } from "./http/serve-http.ts";
import { ClientTokens } from "./http/tokens.ts";
import type { Places, Way } from "./install/clients.ts";
import { type KnownClient, knownClients } from "./install/find-clients.ts";
import { clientKind, install, type Installed, snippet, uninstall } from "./install/install.ts";
import type { McpParts } from "./mcp-parts.ts";

export interface MachineParts {
  readonly places: Places;
  /** Deputy's own folder. */
  readonly home: string;
  /** Makes that folder where it is missing. */
  readonly prepareHome: () => void;
  /** What a client starts, and what it has to know where the home is not the usual one. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly write: (path: string, text: string, mode?: number) => void;
  readonly hasProgram: (name: string) => boolean;
  /** Whether a coding agent runs this command, not the owner. */
  readonly byAgent: boolean;
}

/** Everything `deputy mcp` does. */
export interface Mcp {
  serveStdio(): Promise<void>;
  serveHttp(port: number): Promise<HttpServing>;
  call(tool: string, input: unknown): Promise<{ text: string; failed: boolean; result: unknown }>;
  knownClients(): KnownClient[];
  tokenClients(): string[];
  createToken(name: string): { client: string; token: string };
  removeToken(name: string): boolean;
  install(client: string, httpPort?: number): Installed;
  uninstall(client: string): Installed;
  /** What to put where by hand. */
  snippet(client: string, httpPort?: number): { file: string; text: string };
}

export function createMcp(machine: MachineParts): Mcp {
  const { places, home, prepareHome, command, env, write, hasProgram, byAgent } = machine;
  const parts: McpParts = {
    door: engineDoor,
    log: (line) => void process.stderr.write(`deputy mcp: ${line}\n`),
  };
  const tokens = new ClientTokens(join(home, "mcp-tokens.json"), (path, text) => write(path, text, 0o600));
  const installing = { places, write };
  const starting: Way = { kind: "stdio", command, env };
  const overHttp = (port: number, token: string): Way => ({ kind: "http", url: urlOf(port), token });
  const createToken = (name: string) => {
    if (byAgent) {
      throw new DeputyError("DENIED", "Only the owner lets clients in over HTTP", {
        hint: "Run it in a terminal of your own.",
      });
    }
    const client = agentName(name);
    prepareHome();
    return { client, token: tokens.create(client) };
  };

  return {
    // The SDK is loaded by what serves: installing and tokens do without.
    async serveStdio() {
      const { serveStdio } = await import("./serve-stdio.ts");
      await serveStdio(parts, process.stdin, process.stdout);
    },
    async serveHttp(port) {
      const { serveHttp } = await import("./http/serve-http.ts");
      return serveHttp({ ...parts, clientOf: (token) => tokens.find(token) }, port);
    },
    async call(tool, input) {
      const { callOnce } = await import("./call-once.ts");
      const result = await callOnce(parts, tool, input);
      const text = result.content
        .map((part) => (part.type === "text" ? part.text : `(${part.type})`))
        .join("\n");
      return { text, failed: result.isError === true, result };
    },
    knownClients: () => knownClients({ way: starting, places, hasProgram }),
    tokenClients: () => tokens.clients(),
    createToken,
    removeToken: (name) => tokens.remove(agentName(name)),
    install(client, httpPort) {
      clientKind(client);
      if (httpPort === undefined) return install(client, starting, installing);
      return install(client, overHttp(httpPort, createToken(client).token), installing);
    },
    uninstall(client) {
      const done = uninstall(client, installing);
      tokens.remove(client);
      return done;
    },
    snippet: (client, httpPort) =>
      snippet(client, httpPort === undefined ? starting : overHttp(httpPort, "TOKEN"), places),
  };
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}/mcp`;
}
