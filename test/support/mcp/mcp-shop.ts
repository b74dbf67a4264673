/** A home with a vault and a skill that reaches a loopback service by a key. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TestHome } from "../deputy.ts";
import { http1Server, type LoopbackServer } from "../http-servers.ts";

export const SHOP_KEY = "canary-mcp-key-90ab12cd";

export class McpShop implements AsyncDisposable {
  readonly home: TestHome;
  readonly server: LoopbackServer;
  /** What requests came, by path. */
  readonly paths: string[];
  readonly keys: Set<string>;

  private constructor(home: TestHome, server: LoopbackServer, paths: string[], keys: Set<string>) {
    this.home = home;
    this.server = server;
    this.paths = paths;
    this.keys = keys;
  }

  static async open(): Promise<McpShop> {
    const paths: string[] = [];
    const keys = new Set<string>();
    const server = await http1Server((request, response) => {
      paths.push(request.url ?? "");
      keys.add(String(request.headers["x-key"]));
      if (request.url?.startsWith("/slow")) return void setTimeout(() => response.end("{}"), 20_000).unref();
      return response.end(
        JSON.stringify({ path: request.url, items: [{ id: "a1", title: "First", note: SHOP_KEY }] }),
      );
    });
    const home = new TestHome();
    await home.ok(["setup", "--key", "file", "--yes"]);
    const shop = new McpShop(home, server, paths, keys);
    shop.skill("shop", shopYaml(server.port), { "readme.md": "# Shop\nSells things." });
    return shop;
  }

  skill(id: string, yaml: string, files: Record<string, string> = {}): void {
    const folder = join(this.home.home, "skills", id);
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries({ ...files, "skill.yaml": yaml })) {
      writeFileSync(join(folder, name), text);
    }
  }

  removeSkill(id: string): void {
    rmSync(join(this.home.home, "skills", id), { recursive: true });
  }

  async login(): Promise<void> {
    await this.home.set("127.0.0.1", "joe", "api_key", { key: SHOP_KEY });
  }

  async allow(agent: string): Promise<void> {
    await this.home.ok(["grants", "add", "--skill", "shop", "--identity", "127.0.0.1", "--agent", agent]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}

function shopYaml(port: number): string {
  return `
id: shop
name: Shop
description: A shop
connections:
  api: { base_url: "http://127.0.0.1:${port}", auth: { type: api_key, header: { x-key: .auth.key } }, help_url: "https://shop.test/keys" }
provides:
  - { tool: shop_items, via: list, description: Things one can buy }
operations:
  list: { description: List, returns: "webpage[]", params: { limit: { type: integer, default: 3 } },
          rest: { url: /items, query: { limit: .params.limit }, response: { transform: "[.items[] | {id, name: .title, text: .note}]" } } }
  echo: { description: Echo, returns: { path: string }, params: { word: { type: string, required: true } },
          rest: { url: /echo, query: { word: .params.word }, response: { transform: "{path}" } } }
  slow: { description: Slow, returns: { ok: boolean }, rest: { url: /slow }, timeout: 30 }
  buy: { description: Buy, effect: destructive, returns: { path: string }, params: { word: { type: string, required: true } },
         rest: { method: POST, url: /buy, query: { word: .params.word }, response: { transform: "{path}" } } }
`;
}
