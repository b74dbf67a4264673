/** Who is not let in over HTTP, and with which status. Requests are written by hand: clients would not send these. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { readFileSync, statSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TestHome } from "../support/deputy.ts";
import { HttpServing } from "../support/mcp/mcp-clients.ts";

let home: TestHome;
let http: HttpServing;

before(async () => {
  home = new TestHome();
  http = await HttpServing.start(home);
});
after(async () => {
  await http[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string | undefined>;
  body?: string | Buffer;
}

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
});

async function send({ method = "POST", path = "/mcp", headers = {}, body = INITIALIZE }: Sent) {
  const all = {
    authorization: `Bearer ${http.token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  return new Promise<{ status: number; body: string; headers: Record<string, unknown> }>(
    (resolve, reject) => {
      const sent = request(
        { port: http.port, host: "127.0.0.1", method, path, headers: given },
        (response) => {
          let text = "";
          response.on("data", (chunk: Buffer) => (text += chunk.toString()));
          response.on("close", () =>
            resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(method === "POST" || method === "PUT" ? body : undefined);
    },
  );
}

const CASES: readonly (readonly [what: string, sent: Sent, status: number])[] = [
  ["the right token", {}, 200],
  ["a page of this machine's own", { headers: { origin: "http://localhost:3000" } }, 200],
  ["no token", { headers: { authorization: undefined } }, 401],
  ["a wrong token", { headers: { authorization: "Bearer deputy_AAAA" } }, 401],
  ["a token in the wrong scheme", { headers: { authorization: "Basic deputy_AAAA" } }, 401],
  ["a wrong token in the path", { path: "/mcp/deputy_AAAA", headers: { authorization: undefined } }, 401],
  ["a name that was pointed here (DNS rebinding)", { headers: { host: "evil.test" } }, 403],
  ["such a name with our port", { headers: { host: "localhost.evil.test:80" } }, 403],
  ["a page of another site", { headers: { origin: "https://evil.test" } }, 403],
  ["a page whose origin is hidden", { headers: { origin: "null" } }, 403],
  ["a look-alike origin", { headers: { origin: "http://localhost.evil.test" } }, 403],
  ["another path", { path: "/" }, 404],
  ["a path beside it", { path: "/mcpx" }, 404],
  ["another method", { method: "PUT" }, 405],
  ["a browser's question beforehand", { method: "OPTIONS" }, 405],
  ["no JSON by its type", { headers: { "content-type": "text/plain" } }, 415],
  ["no JSON by its text", { body: "{" }, 400],
  ["bytes that are no text", { body: Buffer.from([0x22, 0xff, 0x22]) }, 400],
  ["JSON that is no message", { body: '"hello"' }, 400],
  ["a client that takes no answer", { headers: { accept: "text/html" } }, 406],
  ["more than is taken, by its length", { body: " ".repeat(5 * 1024 * 1024) }, 413],
  ["a session that is not there", { headers: { "mcp-session-id": "nope" } }, 404],
  ["a call before the handshake", { body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }, 400],
  ["a stream without a session", { method: "GET", headers: { accept: "text/event-stream" } }, 400],
];

for (const [what, sent, status] of CASES) {
  test(`${what}: ${status}`, async () => {
    const answer = await send(sent);
    assert.equal(answer.status, status, answer.body);
    assert.equal(answer.headers["access-control-allow-origin"], undefined, "no other page may read it");
    if (status >= 400) assert.equal(typeof JSON.parse(answer.body).error.message, "string");
    if (status === 401) assert.match(String(answer.headers["www-authenticate"]), /^Bearer/);
  });
}

test("more than is taken without saying so is cut off with 413", async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(http.port, "127.0.0.1");
    let text = "";
    socket.on("error", () => resolve(text));
    socket.on("data", (chunk) => (text += chunk.toString()));
    socket.on("close", () => resolve(text));
    setTimeout(reject, 30_000).unref();
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer ${http.token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
    for (let at = 0; at < 80; at++) socket.write(chunk);
    socket.write("0\r\n\r\n");
  });
  assert.match(answer, /^HTTP\/1\.1 413 /);
});

test("a token may ride in the path, for clients that send no headers", async () => {
  const answer = await send({ path: `/mcp/${http.token}`, headers: { authorization: undefined } });
  assert.equal(answer.status, 200);
});

test("a session is its token's: to another it does not exist; after DELETE it is gone", async () => {
  const other = (await home.ok(["mcp", "token", "other", "--json"])).json().token as string;
  const session = String((await send({})).headers["mcp-session-id"]);
  const ping = '{"jsonrpc":"2.0","id":2,"method":"ping"}';
  const headers = { "mcp-session-id": session };
  assert.equal((await send({ headers, body: ping })).status, 200);
  const foreign = { ...headers, authorization: `Bearer ${other}` };
  assert.equal((await send({ headers: foreign, body: ping })).status, 404);
  assert.equal((await send({ method: "DELETE", headers: foreign })).status, 404);
  assert.equal((await send({ method: "DELETE", headers })).status, 200);
  assert.equal((await send({ headers, body: ping })).status, 404);
});

test("a token that was removed or renewed ends at once, without a restart", async () => {
  const first = (await home.ok(["mcp", "token", "Some Client", "--json"])).json();
  assert.equal(first.client, "some-client");
  const with_ = async (token: string) =>
    (await send({ headers: { authorization: `Bearer ${token}` } })).status;
  assert.equal(await with_(first.token), 200);
  const second = (await home.ok(["mcp", "token", "some-client", "--json"])).json();
  assert.deepEqual([await with_(first.token), await with_(second.token)], [401, 200]);
  await home.ok(["mcp", "token", "some-client", "--remove"]);
  assert.equal(await with_(second.token), 401);
  const refused = await home.run(["mcp", "token", "sneaky", "--json"], { env: { CLAUDECODE: "1" } });
  assert.equal(refused.status, 4, "an agent lets nobody in");
});

test("tokens are on disk only as what they hash to, for the owner alone", () => {
  const file = join(home.home, "mcp-tokens.json");
  assert.doesNotMatch(readFileSync(file, "utf8"), new RegExp(http.token.slice(7, 20)));
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("nobody outside this machine can connect", async (t) => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one !== undefined && !one.internal && one.family === "IPv4");
  if (outside === undefined) return t.skip("this machine has no address but its own");
  const reached = await new Promise<boolean>((resolve) => {
    const socket = connect({ port: http.port, host: outside.address, timeout: 2000 });
    socket.on("connect", () => (socket.destroy(), resolve(true)));
    socket.on("timeout", () => (socket.destroy(), resolve(false)));
    socket.on("error", () => resolve(false));
  });
  assert.equal(reached, false);
  return undefined;
});

test("a port that is taken is said in words", async () => {
  const ran = await home.run(["mcp", "--http", String(http.port), "--json"]);
  assert.equal(ran.status, 1);
  assert.match(ran.json().error.message, /another program has it/);
  assert.equal((await home.run(["mcp", "--http", "x"])).status, 2);
});
