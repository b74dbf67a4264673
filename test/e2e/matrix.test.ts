/**
 * 20 skills and 50 identities in one vault, every one of the 1,000 pairs tried on the real engine by naming the account:
 * a skill gets the identities of its own service and kind, and no server ever sees a byte of another's.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { EngineClient } from "../../src/engine/index.ts";
import { DeputyError } from "../../src/kernel/index.ts";
import { selfSignedCertificate } from "../support/certificate.ts";
import { TestHome } from "../support/deputy.ts";
import { type RecordingServer, recordingServer } from "../support/http-servers.ts";
import { findInText } from "../support/leaks.ts";
import { writeSkill } from "../support/skill-folder.ts";

const KINDS = ["cookies", "api_key", "oauth"] as const;
type Kind = (typeof KINDS)[number];

interface Service {
  readonly id: string;
  readonly domain: string;
  readonly kind: Kind;
  readonly server: RecordingServer;
}

interface Identity {
  readonly domain: string;
  readonly kind: Kind;
  readonly account: string;
  readonly canary: string;
}

const services: Service[] = [];
const identities: Identity[] = [];
let home: TestHome;
let engine: EngineClient;

const BODY = "served";
const REPLY = `HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

function authOf(kind: Kind): object {
  switch (kind) {
    case "cookies":
      return { type: "cookies", names: ["sid"] };
    case "api_key":
      return { type: "api_key", header: { "x-api-key": ".auth.key" } };
    case "oauth":
      return { type: "oauth", token_url: "https://tokens.test/token", client_id: "some-client" };
  }
}

function valueOf({ kind, canary }: Identity): object {
  switch (kind) {
    case "cookies":
      return { cookies: `sid=${canary}` };
    case "api_key":
      return { key: canary };
    case "oauth":
      return { access_token: canary };
  }
}

before(async () => {
  home = new TestHome();
  mkdirSync(home.home, { recursive: true });
  const hosts = Array.from({ length: 20 }, (_, i) => `www.service${i}.test`);
  const certificate = selfSignedCertificate(hosts);
  const roots = join(home.root, "roots.pem");
  writeFileSync(roots, certificate.cert);
  writeFileSync(
    join(home.home, "config.yaml"),
    `roots: ${roots}\nresolve:\n${hosts.map((host) => `  ${host}: 127.0.0.1\n`).join("")}`,
  );
  for (const [i, host] of hosts.entries()) {
    const tls = i % 2 === 0;
    const server = await recordingServer(() => REPLY, tls ? certificate : undefined);
    const kind = KINDS[i % KINDS.length] ?? "cookies";
    services.push({ id: `skill${i}`, domain: `service${i}.test`, kind, server });
    const base_url = `${tls ? "https" : "http"}://${host}:${server.port}`;
    const connections = {
      main: { base_url, mode: kind === "cookies" ? "fetch" : "api", auth: authOf(kind) },
    };
    writeSkill(join(home.home, "skills", `skill${i}`), {
      "skill.yaml": JSON.stringify({ id: `skill${i}`, name: host, description: host, connections }),
    });
  }
  await home.ok(["setup", "--yes"]);
  engine = (await EngineClient.connect(join(home.home, "run", "engine.sock"), "cli"))!;
  for (let i = 0; i < 50; i++) {
    const { domain, kind } = services[i % services.length]!;
    const identity = {
      domain,
      kind,
      account: `person${i}`,
      canary: `canary-${i}-of-${domain.replaceAll(".", "-")}`,
    };
    identities.push(identity);
    await engine.call("vault.set", {
      domain,
      account: identity.account,
      type: kind,
      value: valueOf(identity),
    });
  }
});
after(async () => {
  engine?.[Symbol.dispose]();
  await home[Symbol.asyncDispose]();
  for (const { server } of services) await server[Symbol.asyncDispose]();
});

async function attempt(skill: string, account: string): Promise<string> {
  try {
    const request = { target: skill, url: "/data", method: "GET", headers: [], account };
    const { preview, account: as } = await engine.call("browse.request", request);
    assert.equal(as, account);
    return preview;
  } catch (error) {
    if (error instanceof DeputyError) return error.code;
    throw error;
  }
}

/** Whose canaries the server has been sent since it was last asked, in whatever form. */
function seenBy({ server }: Service): Identity[] {
  const bytes = Buffer.concat(server.take()).toString("latin1");
  return identities.filter(({ canary }) => findInText(bytes, canary).length > 0);
}

test("of 1,000 pairs exactly the 50 of one service and kind are served, and 0 of the 950 others", async () => {
  let [on, off] = [0, 0];
  for (const service of services) {
    for (const identity of identities) {
      const outcome = await attempt(service.id, identity.account);
      const own = identity.domain === service.domain;
      assert.equal(outcome, own ? "served" : "LOGIN_NEEDED", `${service.id} as ${identity.account}`);
      if (own) on += 1;
      else off += 1;
    }
  }
  assert.deepEqual([on, off], [50, 950]);
  for (const service of services) {
    const expected = identities.filter(({ domain }) => domain === service.domain);
    assert.deepEqual(seenBy(service), expected, `what ${service.id}'s server received`);
  }
});

test("100 calls at once of skills and accounts in every mixture keep to their own", async () => {
  const calls = Array.from({ length: 100 }, (_, i) => {
    const service = services[(i * 7) % services.length]!;
    // Every other call names a stranger.
    const own = identities.filter(({ domain }) => domain === service.domain);
    const identity = i % 2 === 0 ? own[i % own.length]! : identities[(i * 13) % identities.length]!;
    return { service, identity };
  });
  const outcomes = await Promise.all(
    calls.map(({ service, identity }) => attempt(service.id, identity.account)),
  );
  for (const [i, { service, identity }] of calls.entries())
    assert.equal(outcomes[i], identity.domain === service.domain ? "served" : "LOGIN_NEEDED");
  for (const service of services) {
    const asked = new Set(calls.filter((one) => one.service === service).map(({ identity }) => identity));
    const expected = identities.filter((one) => one.domain === service.domain && asked.has(one));
    assert.deepEqual(seenBy(service), expected, service.id);
  }
});

test("one name at every service is a different login at each", async () => {
  for (const { domain, kind } of services) {
    const identity = {
      domain,
      kind,
      account: "everywhere",
      canary: `canary-everywhere-at-${domain.replace(".", "-")}`,
    };
    identities.push(identity);
    await engine.call("vault.set", { domain, account: "everywhere", type: kind, value: valueOf(identity) });
  }
  await Promise.all(services.map(({ id }) => attempt(id, "everywhere")));
  for (const service of services)
    assert.deepEqual(
      seenBy(service).map(({ domain, account }) => [domain, account]),
      [[service.domain, "everywhere"]],
    );
});

test("none named among several is refused before a byte is sent", async () => {
  for (const service of services) {
    const request = { target: service.id, url: "/data", method: "GET", headers: [] };
    await assert.rejects(
      engine.call("browse.request", request),
      (error) =>
        error instanceof DeputyError && error.code === "BAD_USAGE" && /everywhere/.test(error.message),
    );
    assert.deepEqual(service.server.take(), []);
  }
});
