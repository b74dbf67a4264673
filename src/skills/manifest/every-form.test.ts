/** Every key and spelling a manifest may have, each in a skill of its own making. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { loadFiles, loadOperation } from "../../../test/support/skill-folder.ts";
import { createExpressions } from "../../expressions/index.ts";
import type { Program } from "../../expressions/index.ts";

const expressions = createExpressions();
after(() => expressions[Symbol.asyncDispose]());
const run = (program: Program | null | undefined, input: object) => expressions.run(program!, input);

test("A service with a key: every part of a request, its answer and its test", async () => {
  const { skill, problems } = await loadFiles({
    "skill.yaml": `
id: library
name: Town library
description: Books on the shelf
website: https://library.test
connections:
  api:
    base_url: "https://api.library.test/v1"
    domain: library.test
    auth:
      type: api_key
      header: { Authorization: '"Bearer " + .auth.key' }
      query: { key: .auth.key }
      body: { token: .auth.key }
      check: { url: /me, expect_status: 200, identifier: .email, display: .name }
    label: API key
    help_url: https://library.test/keys
    description: The public API
    optional: true
    hosts: [covers.library.test]
    vars: { branch: main }
provides:
  - { tool: web_search, via: search }
  - { tool: web_read, via: get, urls: ["library.test/books/*"], description: Read a book's page }
operations:
  search:
    description: Find books
    returns: book[]
    params:
      query: { type: string, required: true, description: Words }
      limit: { type: integer, required: false, default: 20 }
      order: { type: string, enum: [title, year] }
    rest:
      method: POST
      url: '"/search/" + (.params.order // "title")'
      headers: { Accept: application/json, X-Branch: .connection.vars.branch }
      query: { limit: .params.limit, page: 1 }
      body: { q: .params.query, deep: { list: [.params.limit, text, true, null] } }
      encoding: form
      timeout: 12
      response:
        root: /data/items
        transform: "[.[] | select(.title != null)]"
        mapping: { id: .isbn, name: .title, published: '.year | tostring' }
        static: { source: library, shelf: 3 }
        inject: { asked: .params.query }
    test: { params: { query: rust }, mode: read }
  get:
    description: Read one
    returns: book
    params: { id: string }
    rest: { url: '"/books/" + .params.id', response: { raw: true } }
    test: { fixtures: { id: "1" }, skip: no such book in the test data }
`,
    "readme.md": "# Town library\n",
  });
  assert.deepEqual(problems, []);
  assert.ok(skill !== undefined);
  assert.deepEqual(
    [skill.id, skill.name, skill.website, skill.readme],
    ["library", "Town library", "https://library.test", "# Town library\n"],
  );
  const api = skill.connections.get("api");
  assert.deepEqual([api?.domain, api?.optional, api?.hosts], ["library.test", true, ["covers.library.test"]]);

  const search = skill.operations.get("search");
  assert.deepEqual(search?.returns, { kind: "shape", shape: "book", many: true });
  assert.equal(search?.timeoutMs, 12_000);
  assert.deepEqual(search?.test, { params: { query: "rust" }, skip: false, mode: "read" });
  assert.ok(search?.executor.kind === "rest");
  const scope = {
    params: { query: "q", limit: 5 },
    auth: {},
    data: {},
    cache: {},
    connection: { vars: { branch: "main" } },
  };
  assert.equal(await run(search.executor.url, scope), "/search/title");
  assert.deepEqual(await run(search.executor.headers, scope), {
    Accept: "application/json",
    "X-Branch": "main",
  });
  assert.deepEqual(await run(search.executor.body, scope), {
    q: "q",
    deep: { list: [5, "text", true, null] },
  });
  const { response } = search.executor;
  assert.deepEqual(response?.root, ["data", "items"]);
  assert.deepEqual(response?.static, { source: "library", shelf: 3 });
  assert.deepEqual(await run(response?.mapping, { isbn: "i", title: "t", year: 1 }), {
    id: "i",
    name: "t",
    published: "1",
  });
  assert.deepEqual(await run(response?.inject, scope), { asked: "q" });

  const get = skill.operations.get("get");
  assert.equal(get?.executor.kind === "rest" && get.executor.response?.raw, true);
  assert.deepEqual(get?.test, { params: { id: "1" }, skip: "no such book in the test data", mode: "read" });
});

test("A URL may be text, a template of text and values, or an expression", async () => {
  const table: [string, string][] = [
    ["/tasks/filter", "/tasks/filter"],
    ["https://a.test/x?y=1", "https://a.test/x?y=1"],
    [`'"/items/" + .params.id'`, "/items/7"],
    [`'(.cache.endpoint // "https://a.test/graphql")'`, "https://a.test/graphql"],
    [`'"/a/\\(.params.id)/b"'`, "/a/7/b"],
    [".params.url", "https://b.test/"],
    [`'if (.params.url // "") != "" then .params.url else "/x" end'`, "https://b.test/"],
  ];
  for (const [url, expected] of table) {
    const { executor } = await loadOperation(
      `operations: {op: {params: {id: string, url: string}, rest: {url: ${url}}}}`,
    );
    assert.ok(executor.kind === "rest");
    const scope = {
      params: { id: "7", url: "https://b.test/" },
      cache: {},
      auth: {},
      data: {},
      connection: null,
    };
    assert.equal(await run(executor.url, scope), expected);
  }
});

test("GraphQL: the document is never an expression, the variables are", async () => {
  const { executor, returns } = await loadOperation(`
connections: {api: {base_url: "https://a.test/graphql", auth: {type: api_key, header: {Authorization: .auth.key}}}}
operations:
  op:
    returns: { organization.name: string, teams: array }
    params: { id: string }
    graphql:
      endpoint: /v2
      query: "{ issues { nodes { id } } }"
      operation_name: Issues
      variables: { input: { id: .params.id, type: '"blocks"' } }
      headers: { X-A: b }
      response: { root: /data/issues/nodes }
`);
  assert.ok(executor.kind === "graphql");
  assert.equal(executor.query, "{ issues { nodes { id } } }");
  assert.deepEqual(await run(executor.variables, { params: { id: "1" } }), {
    input: { id: "1", type: "blocks" },
  });
  assert.deepEqual(returns, {
    kind: "fields",
    fields: { "organization.name": "string", teams: "array" },
    many: false,
  });
});

test("SQL: files are the connection's or written out, values are bound", async () => {
  const { executor } = await loadOperation(`
connections: {db: {sqlite: "~/books.db", vars: {other: "~/other.db"}}}
operations:
  op:
    returns: void
    params: { query: string, limit: integer }
    sql:
      attach: { other: .connection.vars.other, third: '"~/third.db"', fourth: ~/fourth.db }
      database: ./own.db
      query: SELECT * FROM books WHERE title LIKE :query LIMIT :limit
      params: { query: '"%" + .params.query + "%"', limit: .params.limit // 1000 }
      write: true
      response: { root: "/0" }
`);
  assert.ok(executor.kind === "sql");
  assert.deepEqual(await run(executor.params, { params: { query: "x" } }), { query: "%x%", limit: 1000 });
  assert.equal(await run(executor.attach.get("other"), { connection: { vars: { other: "~/o" } } }), "~/o");
  assert.equal(await run(executor.attach.get("third"), { connection: {} }), "~/third.db");
  assert.equal(await run(executor.attach.get("fourth"), { connection: {} }), "~/fourth.db");
  assert.deepEqual([executor.write, executor.response?.root], [true, ["0"]]);
});

test("A command: arguments are text or expressions, and a login only on its standard input", async () => {
  const { executor, timeoutMs } = await loadOperation(`
operations:
  op:
    returns: string
    params: { path: string }
    command:
      binary: git
      args: [-c, "./script.py", .params.path, 3, true, ".", "(see below)"]
      stdin: '{key: .auth.key, params: .params} | tojson'
      working_dir: ./work
      read: [.params.path]
      write: [~/out]
      timeout: 10
`);
  assert.ok(executor.kind === "command");
  assert.deepEqual(await run(executor.args, { params: { path: "/r" } }), [
    "-c",
    "./script.py",
    "/r",
    3,
    true,
    ".",
    "(see below)",
  ]);
  assert.equal(await run(executor.stdin, { params: {}, auth: { key: "k" } }), '{"key":"k","params":{}}');
  assert.deepEqual(await run(executor.read, { params: { path: "/r" } }), ["/r"]);
  assert.equal(timeoutMs, 10_000);
});

test("Code: a module of the folder, a function, arguments with handles", async () => {
  const { skill, problems } = await loadFiles(`
connections: {web: {auth: {type: cookies, domain: .a.test, names: [sid], login: [{sso: google}, {email_code: true}, sign_in]}}}
operations:
  one: {typescript: {module: ./lib/a.ts, function: one, args: {q: .params.q, cookies: .auth.cookies}}, params: {q: string}}
  two: {python: {module: ./a.py, function: two, args: {q: .params.q, session: .auth.sid, connection: .connection, cache: .cache}, timeout: 120, response: {root: items, transform: '.[:5]'}}, params: {q: string}}
  three: {python: {module: a.py, function: three, params: true}}
  check_session: {returns: account, python: {module: ./a.py, function: whoami, params: true, timeout: 15}, test: {skip: true}}
  sign_in: {python: {module: ./a.py, function: sign_in}}
`);
  assert.deepEqual(problems, []);
  const one = skill?.operations.get("one")?.executor;
  assert.ok(one?.kind === "typescript" && one.module === "lib/a.ts");
  assert.deepEqual(await run(one.args, { params: { q: 1 }, auth: { cookies: "handle" } }), {
    q: 1,
    cookies: "handle",
  });
  const three = skill?.operations.get("three")?.executor;
  assert.ok(three?.kind === "python" && three.wholeParams && three.args === null && three.module === "a.py");
  const two = skill?.operations.get("two");
  assert.ok(two?.executor.kind === "python");
  assert.deepEqual([two.timeoutMs, two.executor.response?.root], [120_000, ["items"]]);
  assert.deepEqual(skill?.checks, new Map([["web", "check_session"]]));
});

test("Steps: each sees those before it, by name; every kind of step", async () => {
  const { executor, timeoutMs } = await loadOperation(`
operations:
  op:
    returns: { domain: string, cookies: array }
    params: { domain: string }
    steps:
      - { id: secret, keychain: { service: Safe Storage, account: Browser } }
      - { id: key, crypto: { algorithm: pbkdf2, password: .secret.value, salt: saltysalt, iterations: 1003, key_length: 16 } }
      - { id: rows, sql: { database: '"~/Cookies"', query: select 1, params: { d: .params.domain } }, description: Reads them }
      - { id: open, for_each: .rows, skip_if: .item.empty, crypto: { algorithm: aes-128-cbc, key: .key.value, iv: "20202020", input: .item.value } }
      - { id: table, csv: { input: .open, delimiter: ";", header: false } }
      - { id: settings, plist: { input: .table, extract: { token: 32, user: name } } }
      - { id: page, rest: { url: .settings.token, headers: { Authorization: .auth.key }, timeout: 5 } }
    response:
      mapping: { domain: .params.domain, cookies: .open, n: '.rows | length' }
`);
  assert.ok(executor.kind === "steps");
  assert.deepEqual(
    executor.steps.map(({ executor }) => executor.kind),
    ["keychain", "crypto", "sql", "crypto", "csv", "plist", "rest"],
  );
  assert.deepEqual(executor.steps.map(({ timeoutMs }) => timeoutMs).at(-1), 5000);
  assert.equal(timeoutMs, (6 * 30 + 5) * 1000, "steps have what each has");
  const open = executor.steps[3];
  assert.equal(await run(open?.skipIf, { item: { empty: true } }), true);
  const mapped = await run(executor.response?.mapping, {
    params: { domain: "d" },
    rows: [1, 2],
    open: ["c"],
  });
  assert.deepEqual(mapped, { domain: "d", cookies: ["c"], n: 2 });
});

test("Adapters: fields, links that come along, lists of them, links by id", async () => {
  const { skill, problems } = await loadFiles(`
adapters:
  account: { id: .customer_id, name: .display, issuer: '"shop.test"', data.marketplace: .market }
  post:
    id: .id
    engagement: { score: .ups, comments: .n }
    engagement.likes: .likes
    _sender: .from
    published: .created | todate
    platform: reddit
    posted_by: { account: { id: .author, handle: ._sender } }
    shelves: { "shelf[]": { _source: '.shelves // []', id: .shelf_id, holds: { "book[]": { _source: .books, name: .t } } } }
    parent_id: { ref: post, value: .parent_id, rel: replies_to }
    community: { ref: group, value: .sub }
`);
  assert.deepEqual(problems, []);
  const post = skill?.adapters.get("post");
  assert.deepEqual(
    post?.edges.map(({ label, many, adapter }) => [label, many, adapter.shape]),
    [
      ["posted_by", false, "account"],
      ["shelves", true, "shelf"],
    ],
  );
  assert.deepEqual(
    post?.references.map(({ label, shape }) => [label, shape]),
    [
      ["replies_to", "post"],
      ["community", "group"],
    ],
  );
  assert.deepEqual(await run(post?.edges[1]?.source, {}), []);
  assert.equal(post?.edges[1]?.adapter.edges[0]?.adapter.shape, "book");
  assert.deepEqual(await run(post?.fields, { id: 1, ups: 2, from: "x", created: 0, likes: 3 }), {
    id: 1,
    engagement: { score: 2, comments: null },
    "engagement.likes": 3,
    _sender: "x",
    published: "1970-01-01T00:00:00Z",
    platform: "reddit",
  });
});

test("What an operation returns: a shape, several, fields, a type, nothing, or it does not say", async () => {
  const table: [string, unknown][] = [
    ["email", { kind: "shape", shape: "email", many: false }],
    ['"email[]"', { kind: "shape", shape: "email", many: true }],
    ["{ ok: boolean }", { kind: "fields", fields: { ok: "boolean" }, many: false }],
    ["[{ ok: boolean }]", { kind: "fields", fields: { ok: "boolean" }, many: true }],
    ["string", { kind: "value", type: "string" }],
    ["array", { kind: "value", type: "array" }],
    ["void", { kind: "nothing" }],
  ];
  for (const [yaml, expected] of table) {
    const { returns } = await loadOperation(
      `operations: {op: {returns: ${yaml}, rest: {url: "https://a.test"}}}`,
    );
    assert.deepEqual(returns, expected);
  }
  assert.deepEqual((await loadOperation(`operations: {op: {rest: {url: "https://a.test"}}}`)).returns, {
    kind: "unknown",
  });
});

test("Login by OAuth, and a skill that supplies one", async () => {
  const { skill, problems } = await loadFiles(`
connections: {mail: {auth: {type: oauth, service: google, scopes: ["https://mail.test/"]}}, open: {auth: none, hosts: any}}
provides: [{auth: oauth, service: google, via: credential_get, scopes: ["https://mail.test/"], account_param: account}]
operations: {credential_get: {connection: none, params: {account: {type: string, required: true}}, rest: {url: "https://a.test"}}}
`);
  assert.deepEqual(problems, []);
  assert.equal(skill?.connections.get("open")?.auth, null);
  assert.deepEqual(skill?.provides[0], {
    kind: "auth",
    auth: "oauth",
    via: "credential_get",
    service: "google",
    scopes: ["https://mail.test/"],
    accountParam: "account",
    description: null,
  });
});

test("The ancestor's older spellings mean what they meant", async () => {
  const yaml = `
color: "#fff"
icon: icon.svg
privacy_url: https://a.test/privacy
sources: { images: [a.test] }
accounts: { list_via: list_accounts }
connections:
  api: { base_url: "https://a.test", header: { Authorization: .auth.key }, account_params: { x: 1 } }
  web:
    mode: cors
    auth:
      type: cookies
      domain: .a.test
      account: { check: whoami }
      liveness: { url: "https://a.test/me", expect_status: 200 }
      login: { account_prompt: Which?, phases: [{ name: x }] }
  db: { sqlite: { macos: "~/Library/x.db", linux: "~/.x.db" } }
provides:
  - cookies: { via: cookie_get, account_param: domain }
  - { capability: google, via: cookie_get }
operations:
  whoami: { connection: web, wraps_as: x, python: { module: ./a.py, function: whoami } }
  cookie_get:
    connection: none
    steps:
      steps: [{ id: raw, command: { binary: bash, args: ["-c", "echo $1", "--", .params.account] } }]
      response: { transform: .raw }
    params: { account: string }
  anywhere: { python: { module: ./a.py, function: f } }
`;
  const { skill, problems } = await loadFiles(yaml, { platform: "linux" });
  assert.ok(skill !== undefined, JSON.stringify(problems, null, 1));
  assert.equal(skill.connections.get("api")?.auth?.type, "api_key");
  assert.equal(skill.connections.get("web")?.mode, "fetch");
  assert.equal(skill.connections.get("db")?.sqlite, "~/.x.db");
  const auth = skill.connections.get("web")?.auth;
  assert.ok(auth?.type === "cookies" && auth.check?.url === "https://a.test/me" && auth.login.length === 0);
  assert.deepEqual(skill.checks, new Map([["web", "whoami"]]));
  assert.deepEqual(
    skill.provides.map((one) => one.kind),
    ["auth"],
  );
  assert.equal(skill.operations.get("cookie_get")?.executor.kind, "steps");
  assert.deepEqual(skill.operations.get("anywhere")?.connections, []);
  const said = problems.map(({ message }) => message).join("\n");
  for (const expected of [
    /"sources"/,
    /"accounts"/,
    /"account_params"/,
    /browser steps/,
    /neither a tool nor/,
    /it gets none/,
  ]) {
    assert.match(said, expected);
  }
  const mac = await loadFiles(yaml.replace(', linux: "~/.x.db"', ""), { platform: "linux" });
  assert.match(
    mac.problems.map(({ message }) => message).join("\n"),
    /no file for this system, only for macos/,
  );
  const top = await loadFiles(`database: ~/x.db\noperations: {op: {sql: {query: select 1}}}`);
  assert.equal(top.skill?.connections.get("db")?.sqlite, "~/x.db");
});

test("Words without operations are a skill too", async () => {
  const { skill, problems } = await loadFiles({
    "readme.md": "# How we write\n\nShort sentences.\n\nMore.\n",
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(
    [skill?.id, skill?.name, skill?.description, skill?.operations.size],
    ["demo", "How we write", "Short sentences.", 0],
  );
  for (const yaml of ["id: demo", "operations:", "operations: {}\nconnections:\n"]) {
    assert.equal((await loadFiles(yaml)).skill?.operations.size, 0, yaml);
  }
  assert.match((await loadFiles({ "a.txt": "" })).problems[0]!.message, /no skill.yaml and no readme.md/);
});

test("In a skill for the ancestor one operation that cannot be used costs only that one", async () => {
  const { skill, problems } = await loadFiles(`
auth: none
website: a.test
adapters:
  post: { terminology: Post, mapping: { id: .id } }
  bad: { id: ".id | nope" }
provides: [{ tool: web_search, via: task.list }, { tool: web_read, via: jq }]
operations:
  task.list:
    params: { n: { type: int }, on: { type: bool }, x: { type: any } }
    rest: { method: post, url: "https://a.test/x", timeout: 900 }
  jq: { rest: { url: "https://a.test", response: { transform: ".a | nope" } } }
  kind: { params: { f: { type: hologram } }, rest: { url: "https://a.test" } }
  idle: { description: Does nothing }
  py: { python: { module: ./a.py, function: f } }
`);
  assert.ok(skill !== undefined, JSON.stringify(problems, null, 1));
  assert.deepEqual([...skill.operations.keys()], ["task.list", "py"]);
  assert.deepEqual([...skill.adapters.keys()], ["post"]);
  assert.deepEqual(
    skill.provides.map(({ via }) => via),
    ["task.list"],
  );
  const list = skill.operations.get("task.list");
  assert.deepEqual(
    [...(list?.params.values() ?? [])].map(({ type }) => type),
    ["integer", "boolean", "json"],
  );
  assert.ok(list?.executor.kind === "rest" && list.executor.method === "POST" && list.timeoutMs === 600_000);
  const said = problems.map(({ message }) => message).join("\n");
  for (const name of ["operations.jq", "operations.kind", "operations.idle", "adapters.bad"]) {
    assert.match(said, new RegExp(`^${name} is left out: `, "m"));
  }
  assert.ok(problems.every(({ severity }) => severity === "warning"));
});
