import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { coded } from "../../test/support/test-vault.ts";
import { EngineClient } from "./client.ts";

test("a call on a connection that is breaking is refused, and leaves nothing behind to fail later", async () => {
  using folder = temporaryFolder("engine-client");
  const path = join(folder.path, "engine.sock");
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write(`${JSON.stringify({ hello: { version: "1.0.0", pid: 1 } })}\n`);
    socket.once("data", () => setTimeout(() => socket.write("no JSON\n"), 10));
  }).listen(path);
  await once(server, "listening");
  try {
    const client = await EngineClient.connect(path, "cli");
    assert.ok(client);
    const ended = client.closed();
    // The answer to this one is what breaks the connection; the next is made before its end is told.
    await assert.rejects(client.call("status", {}), coded("PROTOCOL"));
    await assert.rejects(client.call("status", {}), coded("ENGINE_UNREACHABLE"));
    await ended;
    await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(client.call("status", {}), coded("ENGINE_UNREACHABLE"));
  } finally {
    server.close();
  }
});
