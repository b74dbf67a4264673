/** An engine that is killed in the middle of an answer has kept the session that answer rotated. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EngineClient } from "../../src/engine/index.ts";
import { TestHome } from "../support/deputy.ts";
import { http1Server } from "../support/http-servers.ts";

test("A killed engine leaves the rotated session in the vault", async () => {
  let token = "canary-token-0";
  let served = 0;
  const begun: (() => void)[] = [];
  await using server = await http1Server((request, response) => {
    if (!request.headers.cookie?.includes(`sid=${token}`)) {
      response.statusCode = 401;
      return response.end("old");
    }
    token = `canary-token-${++served}`;
    response.setHeader("set-cookie", `sid=${token}; Path=/; HttpOnly`);
    if (request.url !== "/slow") return response.end(`hello ${served}`);
    response.write("the beginning");
    return begun.shift()?.();
  });
  await using home = new TestHome();
  mkdirSync(home.home, { recursive: true });
  writeFileSync(join(home.home, "config.yaml"), "resolve:\n  www.bank.test: 127.0.0.1\n");
  await home.ok(["setup", "--yes"]);
  await home.set("bank.test", "ann", "cookies", { cookies: `sid=${token}` });
  const url = (path: string) => `http://www.bank.test:${server.port}${path}`;

  for (let round = 0; round < 3; round++) {
    const client = (await EngineClient.connect(join(home.home, "run", "engine.sock"), "cli"))!;
    const arrived = new Promise<void>((done) => begun.push(done));
    const first = Promise.withResolvers<void>();
    const call = client.call(
      "curl",
      { url: url("/slow"), method: "GET", headers: [] },
      { onProgress: () => first.resolve() },
    );
    call.catch(() => {});
    await arrived;
    await first.promise; // its caller has seen a part of the answer
    process.kill((await home.enginePid())!, "SIGKILL");
    await assert.rejects(call);
    client[Symbol.dispose]();
    assert.match((await home.ok(["curl", url("/")])).stdout, /^hello/, `round ${round}`);
  }
});
