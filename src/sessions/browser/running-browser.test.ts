import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { WebSocketServer } from "ws";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { startBrowser } from "./running-browser.ts";

test("a browser at an address that refuses what sessions need is let go of", {
  timeout: 20_000,
}, async () => {
  using folder = temporaryFolder("running");
  const left = Promise.withResolvers<void>();
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (socket) => {
    socket.on("message", (data) => {
      const { id } = JSON.parse((data as Buffer).toString()) as { id: number };
      socket.send(JSON.stringify({ id, error: { code: -32000, message: "Not allowed" } }));
    });
    socket.on("close", () => left.resolve());
  });
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address() as AddressInfo;
  try {
    const settings = {
      env: {},
      home: folder.path,
      files: folder.path,
      scratch: folder.path,
      headed: false,
      resolve: {},
      proxy: undefined,
      endpoint: `ws://127.0.0.1:${port}/devtools/browser/x`,
    };
    await assert.rejects(startBrowser(settings), { name: "DeputyError" });
    await left.promise;
  } finally {
    server.close();
  }
});
