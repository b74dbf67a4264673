import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Files, writeSkill } from "../../../test/support/skill-folder.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createExpressions } from "../../expressions/index.ts";
import { describeProblem, loadSkill, newSkill, type Validation, validateSkill } from "../index.ts";

const expressions = createExpressions();
after(() => expressions[Symbol.asyncDispose]());
const known = ["webpage", "person", "account", "post"];
const shapes = { has: (name: string) => known.includes(name), names: () => known };

async function validate(given: Files | string, platform: NodeJS.Platform = "linux"): Promise<Validation> {
  using folder = temporaryFolder("validate");
  const path = writeSkill(
    join(folder.path, "demo"),
    typeof given === "string" ? { "skill.yaml": given } : given,
  );
  const loaded = await loadSkill(path, { origin: "home", expressions, platform });
  return validateSkill(loaded, { shapes, platform });
}

const errors = async (given: Files | string) => (await validate(given)).errors.map(describeProblem);
const warnings = async (given: Files | string, platform?: NodeJS.Platform) =>
  (await validate(given, platform)).warnings.map(describeProblem);

const op = (
  body: string,
  connection = `{ base_url: "https://api.a.test", auth: { type: api_key, header: { k: .auth.key } } }`,
) => `connections: { api: ${connection} }\noperations:\n  op: { description: x, ${body} }\n`;

test("What only looks right is told at its place", async () => {
  const table: [string, RegExp][] = [
    [op("returns: webpag, rest: { url: /x }"), /^skill.yaml:3:34: there is no shape webpag$/],
    ["adapters: { nope: { id: .id } }", /^skill.yaml:1:19: there is no shape nope$/],
    ["adapters: { post: { by: { persn: { id: .id } } } }", /there is no shape persn$/],
    ["adapters: { post: { by: { ref: psot, value: .x } } }", /there is no shape psot$/],
    [
      op('rest: { url: "https://evil.test/x" }'),
      /leads to https:\/\/evil.test, which the connection api does not cover/,
    ],
    [
      op(`rest: { url: '"https://evil.test/x/" + .params.q' }, params: { q: string }`),
      /leads to https:\/\/evil.test/,
    ],
    [op('rest: { url: "http://api.a.test/x" }'), /leads to http:\/\/api.a.test/],
    [op("rest: { url: /x }", "{ auth: { type: api_key } }"), /is relative, and there is no base_url/],
    [op("connection: none, rest: { url: /x }"), /is relative, and there is no base_url/],
    [op("graphql: { query: '{ a }' }", "{}"), /has no endpoint, and its connection no base_url/],
    [op("sql: { query: select 1 }"), /has no database, and its connection no sqlite/],
    [op("typescript: { module: ./gone.ts, function: f }"), /there is no file gone.ts$/],
    [op("typescript: { module: ./../out.ts, function: f }"), /there is no file ..\/out.ts$/],
    [op("typescript: { module: ./a.py, function: f }"), /a.py is not a typescript file$/],
    [op("rest: { url: /x }, test: { params: { q: 1 } }"), /the test gives q, which is no parameter$/],
    [
      `provides: [{ auth: cookies, via: op }, { tool: web_read, via: op }]\n${op("rest: { url: /x }")}`,
      /op supplies logins, so nobody can call it as web_read$/,
    ],
  ];
  for (const [yaml, expected] of table) {
    const found = await errors(yaml);
    assert.ok(
      found.some((one) => expected.test(one)),
      `${yaml}\n→ ${found.join("\n→ ") || "nothing"}`,
    );
  }
});

test("Where a connection leads is the network door's rule, told early", async () => {
  const fine = [
    op(
      'rest: { url: "https://files.b.test/x" }',
      `{ base_url: "https://api.a.test", hosts: [files.b.test], auth: { type: api_key } }`,
    ),
    op(
      'rest: { url: "https://www.a.test/x" }',
      `{ base_url: "https://api.a.test", auth: { type: cookies } }`,
    ),
    op('rest: { url: "https://any.test/x" }', "{ hosts: any }"),
    op('connection: none, rest: { url: "https://any.test/x" }'),
    op("rest: { url: .params.url }, params: { url: url }"),
    op(`rest: { url: '"/x/" + .params.q' }, params: { q: string }`),
  ];
  for (const yaml of fine) assert.deepEqual(await errors(yaml), [], yaml);
  assert.match(
    (await warnings(op('rest: { url: "https://api.a.test/x" }'))).join("\n"),
    /can be written relative to api's base_url/,
  );
});

test("A login that would leave its service is told, and a check that would take it there is an error", async () => {
  const auth = "{ type: api_key, header: { k: .auth.key } }";
  const at = (connection: string) => op("rest: { url: /x }", connection);
  const away = at(`{ base_url: "https://evil.test", domain: mail.test, auth: ${auth} }`);
  assert.deepEqual(await errors(away), []);
  assert.match((await warnings(away)).join("\n"), /sends the login of mail\.test to evil\.test$/m);
  const listed = at(`{ base_url: "https://api.mail.test", hosts: [evil.test], auth: ${auth} }`);
  assert.match((await warnings(listed)).join("\n"), /sends the login of mail\.test to evil\.test$/m);
  const checked = at(
    `{ base_url: "https://api.mail.test", auth: { type: api_key, check: { url: "https://evil.test/me" } } }`,
  );
  assert.match(
    (await errors(checked)).join("\n"),
    /would send the login of mail\.test to evil\.test to check it/,
  );
  const own = at(
    `{ base_url: "https://api.mail.test", hosts: [up.mail.test], auth: { type: api_key, check: { url: /me } } }`,
  );
  assert.doesNotMatch([...(await errors(own)), ...(await warnings(own))].join("\n"), /the login of/);
});

test("Keys pasted into a skill are found and never quoted", async () => {
  const secrets = [
    "sk-proj-canaryAbCdEf0123456789xyz",
    "ghp_canary0123456789ABCDEFGHIJKLMNOPqrst",
    "xoxb-123456789012-canaryABCDEF",
    "AKIACANARY0123456789",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.canaryABCDEFGHIJKLMNOP",
    "https://joe:canary-password@a.test/",
    "-----BEGIN RSA PRIVATE KEY-----canary",
  ];
  for (const secret of secrets) {
    const found = await errors(op(`rest: { url: /x, headers: { X: ${JSON.stringify(secret)} } }`));
    assert.ok(
      found.some((one) => /operations.op.rest.headers.X looks like a secret$/.test(one)),
      secret,
    );
    assert.doesNotMatch(found.join(), /canary/i, secret);
  }
  const random = await errors(
    op(`rest: { url: /x, headers: { x-api-key: f3a9c17be5d2408896b1e07ca4d35f82 } }`),
  );
  assert.match(random.join(), /x-api-key looks like a secret/);
  const inCode = await errors({
    "skill.yaml": op("typescript: { module: ./a.ts, function: f }"),
    "a.ts": `export function f() { return "${secrets[0]}"; }`,
  });
  assert.match(inCode.join(), /^a.ts: has something in it that looks like a secret$/);
  assert.doesNotMatch(inCode.join(), /canary/);
  // Broken skills are searched too: they are shown and mailed around like others.
  assert.match((await errors(`nope: ${secrets[1]}`)).join(), /looks like a secret/);
});

test("Words, names and expressions are no secrets", async () => {
  const yaml = `description: Uses the session-token-of-the-dashboard-2024-edition and api_key_of_the_account
website: https://a.test/0123456789abcdef0123456789abcdef
connections:
  web:
    base_url: https://a.test
    auth: { type: cookies, names: [__Secure-next-auth.session-token, remember_user_token], domain: .a.test }
operations:
  op:
    description: x
    params: { api_key_id: { type: string, description: "Such as 550e8400-e29b-41d4-a716-446655440000" } }
    rest:
      url: /api/auth/session
      headers: { Authorization: '"Bearer " + (.auth.access_token | ltrimstr("Bearer "))', X-Api-Version: 2026-11-15 }
      body: { token: '.params.api_key_id // "" | ascii_downcase' }
`;
  assert.deepEqual(await errors(yaml), []);
});

test("A function that is nowhere in its module is told, with the operation's line", async () => {
  const yaml = op("typescript: { module: ./a.ts, function: find_it }");
  assert.deepEqual(await errors({ "skill.yaml": yaml, "a.ts": "export async function find_it() {}" }), []);
  assert.deepEqual(await errors({ "skill.yaml": yaml, "a.ts": 'export { find_it } from "./b.ts";' }), []);
  const [wrong] = await errors({ "skill.yaml": yaml, "a.ts": "export async function find_it_all() {}" });
  assert.match(wrong ?? "", /^skill.yaml:3:\d+: a.ts has no function find_it$/);
});

test("Missing words and things of another system are warnings", async () => {
  const said = (
    await warnings(`
connections: { db: { sqlite: ~/Library/x.db }, spare: {} }
operations:
  doThing: { connection: db, steps: [{ id: a, keychain: { service: x } }] }
`)
  ).join("\n");
  for (const expected of [
    /has no description: agents choose by it/,
    /there is no readme.md/,
    /doThing has no description/,
    /doThing is not in snake_case/,
    /this file is there only on macOS/,
    /the keychain is there only on macOS/,
    /no operation uses this connection/,
  ]) {
    assert.match(said, expected);
  }
  assert.doesNotMatch(
    (await warnings(`connections: { db: { sqlite: ~/Library/x.db } }`, "darwin")).join(),
    /macOS/,
  );
});

test("Python that cannot work in a host is told with the reason, without being run", async () => {
  const said = (
    await warnings({
      "skill.yaml":
        "operations: { op: { python: { module: ./a.py, function: op } }, mac: { command: { binary: osascript } } }",
      "a.py": `import os, subprocess as sp
from urllib import parse, request
from lxml import html
import httpx
import helpers, requests
from bs4 import (BeautifulSoup)
from agentos import (
    http, keychain, browser_session,  # the last is not ours
    surf, molt as m)
from agentos.http import Client, require_cookies, teleport
from agentos.macos import contacts, plist
from agentos import shape, web_search
raise SystemExit("run!")
CHAT = "~/Library/Messages/chat.db"
def op(): return keychain.read("x")
`,
      "requests.py": "",
      "helpers.py": "",
    })
  ).join("\n");
  for (const expected of [
    /a.py:1:1: imports subprocess: code starts no programs itself/,
    /a.py:2:1: imports urllib.request: code has no network/,
    /a.py:4:1: imports httpx: code has no network/,
    /a.py:3:1: needs the Python package lxml/,
    /a.py:6:1: needs the Python package bs4/,
    /a.py:7:1: agentos has no browser_session here/,
    /a.py:10:1: agentos has no http.teleport here/,
    /a.py:11:1: agentos has no macos.contacts here/,
    /a.py:14:1: reads what is in ~\/Library that is there only on macOS/,
    /a.py:15:1: reads the keychain that is there only on macOS/,
    /osascript is there only on macOS/,
  ]) {
    assert.match(said, expected);
  }
  assert.doesNotMatch(said, /requests|helpers|agentos:|parse|surf|molt|Client|cookies|shape|web_search/);
});

test("Both scaffolds are valid without a word, whatever the name", async () => {
  for (const name of ["my-service", "a", "0", "true", "null", "x_y-9", "constructor"]) {
    for (const local of [false, true]) {
      const files = Object.fromEntries(newSkill(name, { local }));
      const { errors, warnings } = await validate(files);
      assert.deepEqual([...errors, ...warnings], [], `${name} ${local}`);
      using folder = temporaryFolder("new");
      writeSkill(folder.path, files);
      const { skill } = await loadSkill(folder.path, { origin: "home", expressions });
      assert.equal(skill?.id, name);
    }
  }
  for (const name of ["", "A", "a b", "../x", "a/b", "-a", "x".repeat(65)]) {
    assert.throws(() => newSkill(name, { local: false }), { code: "BAD_INPUT" });
  }
});
