import assert from "node:assert/strict";
import { test } from "node:test";
import { loadFiles } from "../../../test/support/skill-folder.ts";
import { describeProblem } from "../index.ts";

/** What is wrong, as an author reads it; hints in parentheses. */
async function problemsOf(yaml: string): Promise<string[]> {
  const { problems } = await loadFiles(yaml);
  return problems.map((one) => describeProblem(one) + (one.hint === undefined ? "" : ` (${one.hint})`));
}

const op = (lines: string) => `operations:\n  op:\n${lines.replaceAll(/^/gm, "    ")}\n`;

test("Each mistake is told in words, at its line and column", async () => {
  const table: [yaml: string, expected: RegExp][] = [
    ["id: Bad Id", /^skill.yaml:1:5: id cannot be used: an id is lower-case letters/],
    ["naem: X", /^skill.yaml:1:1: a manifest has no key "naem" \(Did you mean name\?\)$/],
    ["name: [x]", /^skill.yaml:1:7: name is a list, and must be text$/],
    ["website: nope", /^skill.yaml:1:10: website is not an http or https URL$/],
    ["operations: [a]", /^skill.yaml:1:13: operations is a list, and must be a map$/],
    ["connections: {api: {base_url: ftp://x}}", /connections.api.base_url is not an http or https URL$/],
    [
      "connections: {api: {auth: {type: api_kye}}}",
      /connections.api.auth.type must be one of api_key, cookies/,
    ],
    [
      "connections: {api: {auth: {type: api_key, haeder: {}}}}",
      /^skill.yaml:1:43: connections.api.auth has no key "haeder" \(Did you mean header\?\)$/,
    ],
    ["connections: {api: {hosts: ['a b']}}", /api lists something that is not a host$/],
    [
      "connections: {api: {hosts: any, auth: {type: cookies}}}",
      /connections.api.hosts `hosts: any` is for a connection without a login/,
    ],
    ["connections: {api: {auth: {type: api_key, header: {k: .params.x}}}}", /there is no \.params here/],
    [op("description: x"), /^skill.yaml:3:5: operations.op does nothing: it has none of rest, graphql, sql/],
    [
      op("rest: {url: /}\nsql: {query: select 1}"),
      /operations.op has rest and sql, and can be only one of them$/,
    ],
    [op("rest: {ulr: /x}"), /^skill.yaml:3:12: operations.op.rest has no key "ulr" \(Did you mean url\?\)$/m],
    [op("rest: {url: /x, method: FETCH}"), /operations.op.rest.method must be one of GET, HEAD, POST/],
    [op("rest: {url: /x, methdo: GET}"), /\(Did you mean method\?\)$/],
    [op("rest: {url: 5}"), /^skill.yaml:3:17: operations.op.rest.url is a number, and must be text$/],
    [op("rest: {url: /x, timeout: 9999}"), /operations.op.rest.timeout is too big: at most 600$/],
    [op("rest: {url: ''}"), /operations.op.rest.url is empty$/],
    [
      op("effect: reed\nrest: {url: /x}"),
      /effect must be one of read, write, destructive \(Did you mean read\?\)$/,
    ],
    [
      op("params: {q: {type: strng}}\nrest: {url: /x}"),
      /params.q.type must be one of .* \(Did you mean string\?\)$/,
    ],
    [op("params: {q: strng}\nrest: {url: /x}"), /params.q/],
    [
      op("params: {q: {type: integer, default: x}}\nrest: {url: /x}"),
      /the default of q cannot be used: must be a whole number$/,
    ],
    [op("params: {q: {type: string, enum: [a], default: b}}\nrest: {url: /x}"), /must be one of a$/],
    [
      op("rest: {url: .prams.x}"),
      /^skill.yaml:3:17: op rest.url: there is no \.prams here .* \(In scope: \.params/,
    ],
    [
      op("rest:\n  url: /x\n  body: {a: [1, {b: '.params | nope'}]}"),
      /^skill.yaml:5:25: op rest.body.a\[1\].b: nope\/0 is not defined/,
    ],
    [op("rest: {url: /x, response: {transform: '.a |'}}"), /^skill.yaml:3:43: op rest.response.transform: /],
    [op("command: {binary: x, args: [.auth.key]}"), /there is no \.auth here in the expression: \.auth\.key/],
    [op("command: {binary: x, working_dir: .auth.key}"), /there is no \.auth here/],
    [op("sql: {query: select 1, params: {k: .auth.key}}"), /there is no \.auth here/],
    [op("sql: {query: select 1, attach: {a: .params.file}}"), /there is no \.params here/],
    [op("rest: {url: /x, response: {inject: {k: .auth.key}}}"), /there is no \.auth here/],
    [
      op("connection: nope\nrest: {url: /x}"),
      /^skill.yaml:3:17: there is no connection nope \(There are: none\.\)$/,
    ],
    [
      op("typescript: {module: /etc/passwd, function: f}"),
      /module cannot be used: a module is a file in the skill's folder/,
    ],
    [op("typescript: {module: ./a.ts, function: 'a b'}"), /a function's name is letters/],
    [op("steps: []"), /operations.op.steps is too short: at least 1$/],
    [op("steps: [{id: a}]"), /operations.op.steps.0 does nothing/],
    [op("steps: [{id: params, rest: {url: /x}}]"), /steps.0.id is taken: \.params means something else$/],
    [
      op("steps: [{id: a, rest: {url: /}}, {id: a, rest: {url: /}}]"),
      /steps.1.id is taken: an earlier step has it$/,
    ],
    [op("steps: [{id: a, rest: {url: .b.x}}, {id: b, rest: {url: /}}]"), /there is no \.b here/],
    [op("steps: [{id: a, rest: {url: .item.x}}]"), /there is no \.item here/],
    [
      op("steps: [{id: a, crypto: {algorithm: rot13}}]"),
      /crypto.algorithm must be one of pbkdf2, aes-128-cbc$/,
    ],
    [op("steps: [{id: a, keychain: {service: .auth.key}}]"), /there is no \.auth here/],
    ["provides: [{tool: x, via: nope}]", /there is no operation nope$/],
    ["provides: [{auth: cookis, via: op}]", /provides.0.auth must be one of cookies, oauth, api_key/],
    [
      "connections: {w: {auth: {type: cookies, login: sing_in}}}\n" +
        op("connection: w\nrest: {url: /x}").replace("op:", "sign_in:"),
      /there is no operation sing_in \(Did you mean sign_in\?\)$/,
    ],
    ["id: a\nid: b", /^skill.yaml:2:1: this key is here twice \(Keep one of the two\.\)$/],
    ["operations:\n\tx: 1", /^skill.yaml:2:1: a tab is used to indent \(Indent with spaces\.\)$/],
    ["name: a: b", /^skill.yaml:1:\d+: .*$/],
    ["a: 1\n---\nb: 2", /has more than one document/],
    ["", /^skill.yaml: is empty$/],
    ["# nothing", /is empty$/],
    ["- a", /^skill.yaml:1:1: must be a map of keys such as id/],
    ["just text", /must be a map/],
    [
      "{description: a, b c}",
      /has no key "b c" \(Text with a comma in it is written in quotes inside braces\.\)$/,
    ],
  ];
  for (const [yaml, expected] of table) {
    const found = await problemsOf(yaml);
    assert.ok(
      found.some((one) => expected.test(one)),
      `${yaml}\n→ ${found.join("\n→ ") || "nothing"}`,
    );
  }
});

test("Every mistake of a file is told at once, unknown keys not hiding the others", async () => {
  const found = await problemsOf(
    `colr: red\noperations:\n  a: {rest: {ulr: /x}}\n  b: {rest: {url: 1}}\n  c: {rest: {url: /x, body: .nope}}`,
  );
  assert.deepEqual(
    found.map((one) => one.split(": ")[0]),
    ["skill.yaml:1:1", "skill.yaml:3:14", "skill.yaml:4:19"],
  );
});

test("Several connections must be named, a sole one is inferred, a list lets the caller choose", async () => {
  const { skill, problems } = await loadFiles(`
connections: {api: {base_url: "https://a.test"}, web: {base_url: "https://b.test"}}
operations:
  one: {connection: web, rest: {url: /x}}
  choice: {connection: [web, api], rest: {url: /x}}
  open: {connection: none, rest: {url: "https://c.test"}}
  without: {connection: api, auth: none, rest: {url: /x}}
`);
  assert.deepEqual(problems, []);
  const of = (name: string) => skill?.operations.get(name)?.connections;
  assert.deepEqual([of("one"), of("choice"), of("open")], [["web"], ["web", "api"], []]);
  assert.equal(skill?.operations.get("without")?.anonymous, true);
  assert.equal(skill?.operations.get("one")?.anonymous, false);

  const sole = await loadFiles(`connections: {api: {base_url: "https://a.test"}}\n${op("rest: {url: /x}")}`);
  assert.deepEqual(sole.skill?.operations.get("op")?.connections, ["api"]);
  const unnamed = await problemsOf(`connections: {a: {}, b: {}}\n${op("rest: {url: /x}")}`);
  assert.match(unnamed[0]!, /operations.op has to say which connection it uses: a, b, or none/);
});

test("An operation's effect is what can be seen, unless it is written", async () => {
  const table: [string, string][] = [
    ["rest: {url: /x}", "read"],
    ["rest: {url: /x, method: HEAD}", "read"],
    ["rest: {url: /x, method: POST}", "write"],
    ["rest: {url: /x, method: DELETE}", "write"],
    ["effect: destructive\nrest: {url: /x, method: DELETE}", "destructive"],
    ["effect: read\nrest: {url: /x, method: POST}", "read"],
    ["graphql: {query: '{ viewer { id } }'}", "read"],
    ["graphql: {query: 'query Q($a: Int) { mutation(a: $a) { id } }'}", "read"],
    ["graphql: {query: '# mutation\\nquery { a(x: \"} mutation {\") }'}", "read"],
    ["graphql: {query: 'mutation { a }'}", "write"],
    ["graphql: {query: 'query A { a } mutation B { b }'}", "write"],
    ["graphql: {query: 'subscription { a }'}", "write"],
    ["sql: {query: select 1}", "read"],
    ["sql: {query: delete from x, write: true}", "write"],
    ["command: {binary: ls}", "write"],
    ["typescript: {module: ./a.ts, function: f}", "write"],
    ["python: {module: ./a.py, function: f}", "write"],
    ["steps: [{id: a, rest: {url: /x}}, {id: b, csv: {input: .a}}]", "read"],
    ["steps: [{id: a, rest: {url: /x}}, {id: b, command: {binary: ls}}]", "write"],
  ];
  for (const [yaml, effect] of table) {
    const { skill, problems } = await loadFiles(op(yaml));
    assert.equal(skill?.operations.get("op")?.effect, effect, `${yaml} ${JSON.stringify(problems)}`);
  }
});

test("What supplies a login is for the resolver only", async () => {
  const { skill } = await loadFiles(`
provides: [{auth: cookies, via: cookie_get, description: From a browser}, {tool: web_read, via: read, urls: ["a.test/*"]}]
operations:
  cookie_get: {rest: {url: "https://a.test"}}
  read: {rest: {url: "https://a.test"}}
`);
  assert.equal(skill?.operations.get("cookie_get")?.resolverOnly, true);
  assert.equal(skill?.operations.get("read")?.resolverOnly, false);
  assert.deepEqual(
    skill?.provides.map(({ kind, via }) => [kind, via]),
    [
      ["auth", "cookie_get"],
      ["tool", "read"],
    ],
  );
});

test("A skill for the ancestor gets warnings for what Deputy does not know; a bundled one never does", async () => {
  const yaml = `
color: red
sparkle: 1
provides: [{auth: cookies, via: op, creation_timestamps: true}]
${op("web_url: https://a.test\nglitter: yes\ntest: {mode: read, discover_from: {op: x}}\npython: {module: ./a.py, function: f, sheen: 1}")}`;
  const { skill, problems } = await loadFiles(yaml);
  assert.ok(skill !== undefined, JSON.stringify(problems));
  assert.equal(skill.ancestor, true);
  assert.deepEqual(
    problems.map(({ severity }) => severity),
    Array(5).fill("warning"),
  );
  const keys = problems.map(({ message }) => /"(\w+)"/.exec(message)?.[1] ?? "");
  assert.deepEqual(
    new Set(keys),
    new Set(["creation_timestamps", "discover_from", "glitter", "sheen", "sparkle"]),
  );
  assert.equal(skill.operations.get("op")?.resolverOnly, true);

  const beside = await loadFiles({
    "skill.yaml": "sparkle: 1",
    "a.py": "import os\nfrom agentos import http\n",
  });
  assert.equal(beside.skill?.ancestor, true);

  const strict = await loadFiles(yaml, { origin: "bundled" });
  assert.equal(strict.skill, undefined);
  assert.ok(strict.problems.every(({ severity }) => severity === "error"));
});
