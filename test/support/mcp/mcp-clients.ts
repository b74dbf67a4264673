/** The official SDK's client, against the real command. */
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { launcher, type TestHome } from "../deputy.ts";

export interface ClientSpec {
  readonly name?: string;
  /** A revision since 2026-07-28; before, by handshake. */
  readonly modern?: boolean;
  readonly capabilities?: ClientOptions["capabilities"];
}

export function newClient({
  name = "test client",
  modern = false,
  capabilities = {},
}: ClientSpec = {}): Client {
  const versionNegotiation = { mode: modern ? { pin: "2026-07-28" } : ("legacy" as const) };
  return new Client({ name, version: "1.2.3" }, { capabilities, versionNegotiation });
}

export function stdioTransport(home: TestHome): StdioClientTransport {
  const args = [launcher, "mcp"];
  return new StdioClientTransport({
    command: process.execPath,
    args,
    env: home.environment(),
    stderr: "ignore",
  });
}

/** Connected over stdio; disposing ends the process it started. */
export async function stdioClient(home: TestHome, spec: ClientSpec = {}): Promise<Client & AsyncDisposable> {
  const client = newClient(spec);
  await client.connect(stdioTransport(home));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

/** `deputy mcp --http`, until disposed. */
export class HttpServing implements AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, said: { url: string; port: number; token: string }) {
    this.#child = child;
    this.url = said.url;
    this.port = said.port;
    this.token = said.token;
  }

  static async start(home: TestHome): Promise<HttpServing> {
    const child = spawn(process.execPath, [launcher, "mcp", "--http", "0", "--json"], {
      env: home.environment(),
      stdio: ["ignore", "pipe", "ignore"],
    });
    let text = "";
    for await (const line of createInterface({ input: child.stdout })) {
      text += line;
      if (line === "}") break;
    }
    return new HttpServing(child, JSON.parse(text));
  }

  async client(spec: ClientSpec & { token?: string } = {}): Promise<Client & AsyncDisposable> {
    const client = newClient(spec);
    const headers = { authorization: `Bearer ${spec.token ?? this.token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(this.url), { requestInit: { headers } }));
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }
}

export function textOf(result: unknown): string {
  const { content } = result as { content: readonly { type: string; text?: string }[] };
  return content.map((part) => part.text ?? "").join("\n");
}
