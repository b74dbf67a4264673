/** Commands of several versions on one machine: a newer one replaces an older engine, an older one never a newer. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { WIRE } from "../../src/engine/wire.ts";
import { TestHome } from "../support/deputy.ts";
import { newClient, stdioTransport, textOf } from "../support/mcp/mcp-clients.ts";

/** Speaks like an engine of some version, and stops when asked to. */
class PretendedEngine implements Disposable {
  readonly asked: string[] = [];
  readonly #server: Server;

  constructor(home: TestHome, hello: { version: string; wire?: number }) {
    mkdirSync(join(home.home, "run"), { recursive: true, mode: 0o700 });
    this.#server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        for (const line of chunk.toString().trim().split("\n")) {
          const message = JSON.parse(line);
          const answer = (said: object) => socket.write(`${JSON.stringify(said)}\n`);
          if (message.hello) answer({ hello: { ...hello, pid: 2 ** 30 } });
          else {
            this.asked.push(message.method);
            answer({ id: message.id, result: [] });
            if (message.method !== "engine.stop") continue;
            socket.end();
            this.#server.close();
          }
        }
      });
    }).listen(join(home.home, "run", "engine.sock"));
  }

  [Symbol.dispose](): void {
    this.#server.close();
  }
}

test("an older engine is replaced", async () => {
  await using home = new TestHome();
  using old = new PretendedEngine(home, { version: "0.0.1" });
  assert.notEqual((await home.ok(["status", "--json"])).json().engine.version, "0.0.1");
  assert.deepEqual(old.asked, ["engine.stop"]);
});

test("a newer engine that can be talked to is used, and not stopped", async () => {
  await using home = new TestHome();
  using newer = new PretendedEngine(home, { version: "999.0.0", wire: WIRE });
  assert.deepEqual((await home.ok(["skills", "list", "--json"])).json(), []);
  const client = newClient();
  await client.connect(stdioTransport(home));
  await client.listResources();
  await client.close();
  assert.ok(newer.asked.includes("skills.list"));
  assert.ok(!newer.asked.includes("engine.stop"), newer.asked.join(" "));
});

test("a newer engine that cannot be talked to is left alone, and who asked is told to restart", async () => {
  await using home = new TestHome();
  using newer = new PretendedEngine(home, { version: "999.0.0", wire: WIRE + 1 });
  const ran = await home.run(["status", "--json"]);
  assert.equal(ran.json().error.code, "UNSUPPORTED");
  assert.match(ran.json().error.message, /Deputy 999\.0\.0/);
  const client = newClient();
  await client.connect(stdioTransport(home));
  const told = await client.callTool({ name: "status", arguments: {} });
  await client.close();
  assert.match(textOf(told), /Restart the program that started this Deputy[\s\S]*\(code: UNSUPPORTED\)/);
  assert.deepEqual(newer.asked, []);
});
