import assert from "node:assert/strict";
import { request as plainRequest } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { selfSignedCertificate } from "../../test/support/certificate.ts";
import { fails } from "../../test/support/fails.ts";
import { SyncMachines } from "../../test/support/sync-machines.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { postJson } from "./carrier.ts";
import { createRoad, SyncServer } from "./index.ts";

const HOST = "server.deputy.test";
const overrides = { [HOST]: ["127.0.0.1"] };

function certificate(folder: string) {
  const made = selfSignedCertificate([HOST]);
  const roots = join(folder, "roots.pem");
  writeFileSync(roots, made.cert);
  return { ...made, roots };
}

test("a source pushes over HTTPS through the owner's proxy, trusting the owner's root and no stranger's", async () => {
  using folder = temporaryFolder("road");
  const { key, cert, roots } = certificate(folder.path);
  await using machines = await SyncMachines.open();
  const { host, port } = machines.server.address;
  // As a reverse proxy does: TLS ends here, and what goes on is the same request.
  const proxy = createServer({ key, cert }, (incoming, outgoing) => {
    const { url, method, headers } = incoming;
    const onward = plainRequest({ host, port, path: url, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  try {
    const url = `https://${HOST}:${(proxy.address() as AddressInfo).port}`;
    const peer = { ...machines.sink, url };
    machines.set("shop.test", "joe", { sid: "canary-over-tls" });
    using stranger = createRoad({ overrides });
    await fails(machines.push({ peer, road: stranger }), "NETWORK_FAILED", /certificate/);
    assert.deepEqual(machines.held("shop.test", "joe"), {});
    using road = createRoad({ overrides, roots });
    assert.equal((await machines.push({ peer, road })).stored, 1);
    assert.deepEqual(machines.held("shop.test", "joe"), { sid: "canary-over-tls" });
    const other = { ...machines.sink, url: url.replace(HOST, "another.test") };
    using astray = createRoad({ overrides: { "another.test": ["127.0.0.1"] }, roots });
    await fails(machines.push({ peer: other, road: astray, always: true }), "NETWORK_FAILED", /certificate/);
  } finally {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
});

test("a sink with a certificate of its own speaks HTTPS and nothing else", async () => {
  using folder = temporaryFolder("road");
  const { key, cert, roots } = certificate(folder.path);
  await using server = await SyncServer.listen({ host: "127.0.0.1", port: 0 }, { key, cert });
  assert.match(server.url, /^https:\/\/127\.0\.0\.1:\d+$/);
  using road = createRoad({ overrides, roots });
  const url = new URL(`https://${HOST}:${server.address.port}/sync`);
  assert.equal((await postJson(url, {}, { road })).status, 503);
  const plain = new URL(`http://127.0.0.1:${server.address.port}/sync`);
  await fails(postJson(plain, {}), "NETWORK_FAILED", /Cannot reach/);
});

test("roots that cannot be read are said to be so when they are needed", async () => {
  using road = createRoad({ roots: "/nowhere/roots.pem" });
  await fails(
    postJson(new URL("https://127.0.0.1:1/pair"), {}, { road }),
    "BAD_CONFIG",
    /Cannot use the roots/,
  );
});

test("a machine called like something every object has is looked up as any other", async () => {
  using road = createRoad({ overrides });
  await fails(postJson(new URL("http://constructor:1/pair"), {}, { road }), "NETWORK_FAILED", /Cannot reach/);
});
