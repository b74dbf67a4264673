import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { stringify } from "yaml";
import { did, Rounds, seed } from "../../../test/support/fault-form.ts";
import { loadFiles } from "../../../test/support/skill-folder.ts";
import { readManifest } from "./read-manifest.ts";

/** Of each kind in a round. */
const RANDOM = 400;
const options = { file: "skill.yaml", strict: false, platform: "linux" } as const;
/** Of this process alone: on a busy machine others may have all the rest. */
const processorMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const read = (text: string | Buffer) => readManifest(Buffer.from(text), options);

test("Files made to exhaust the reader are refused with a reason, quickly", () => {
  const laughs = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
  for (let i = 1; i < 12; i++) {
    const [now, before] = [i, i - 1].map((n) => String.fromCharCode(97 + n));
    laughs.push(`${now}: &${now} [${Array(10).fill(`*${before}`).join(", ")}]`);
  }
  const table: [string, string | Buffer, RegExp][] = [
    ["billion laughs", laughs.join("\n"), /repeats itself by aliases|has more parts/],
    [
      "laughs by merging",
      `a: &a {x: 1}\nb: &b {<<: *a, y: &c {<<: [*a, *a]}}\n${laughs.join("\n")}`,
      /repeats|twice|parts/,
    ],
    ["an alias of itself", "operations: &a [*a]", /nested more than|must be a map|not YAML/],
    ["an alias of nothing", "name: *gone", /./],
    ["100,000 brackets", `name: ${"[".repeat(100_000)}`, /nested more than|not YAML/],
    ["100,000 braces, closed", `name: ${"{a: ".repeat(50_000)}1${"}".repeat(50_000)}`, /nested more than/],
    [
      "a deep block",
      Array.from({ length: 600 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"),
      /nested more than/,
    ],
    ["a deep list", `name: ${"- ".repeat(2_000)}x`, /./],
    ["more than any manifest", `name: ${"x".repeat(300_000)}`, /is over 256 KB/],
    ["45,000 parts", `provides: [${"a,".repeat(45_000)}]`, /has more parts/],
    ["binary", Buffer.from([0, 1, 2, 0xff, 0xfe]), /is not UTF-8 text/],
    ["UTF-16", Buffer.from("id: demo", "utf16le"), /characters in it that no text has/],
    ["a NUL", "id: de\0mo", /characters in it that no text has/],
    ["an escape sequence", "name: \u001b[31mred", /characters in it that no text has/],
    ["__proto__", "__proto__: {polluted: true}", /a key __proto__/],
    [
      "__proto__ deep inside",
      "operations: {op: {rest: {url: /x, body: {__proto__: {a: 1}}}}}",
      /a key __proto__/,
    ],
    ["a binary tag", "name: !!binary aGVsbG8=", /neither text, number/],
    ["a tag of its own", "name: !evil x", /tag that means nothing/],
    ["a tag for code", "name: !!js/function 'x'", /tag that means nothing|not YAML/],
    ["not a number", "operations: {op: {timeout: .nan, rest: {url: /x}}}", /number JSON has not/],
    ["infinity", "operations: {op: {timeout: .inf, rest: {url: /x}}}", /number JSON has not/],
    ["a map as a key", "? {a: 1}\n: 2", /./],
  ];
  for (const [what, text, expected] of table) {
    const started = processorMs();
    const { form, problems } = read(text);
    assert.equal(form, undefined, what);
    assert.ok(
      problems.some(({ message }) => expected.test(message)),
      `${what}: ${JSON.stringify(problems.slice(0, 3))}`,
    );
    assert.ok(processorMs() - started < 10_000, `${what} took too long`);
  }
  assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
});

test("Names from the language's own objects are names like others", async () => {
  const { skill, problems } = await loadFiles(`
connections: {constructor: {base_url: "https://a.test"}}
operations:
  toString: {connection: constructor, params: {hasOwnProperty: string, valueOf: {type: integer}}, rest: {url: /x}}
  constructor: {connection: none, rest: {url: "https://a.test"}}
`);
  assert.deepEqual(problems, []);
  assert.deepEqual([...(skill?.operations.keys() ?? [])], ["toString", "constructor"]);
  assert.equal(skill?.operations.get("hasOwnProperty"), undefined);
});

test("A byte-order mark, Windows line ends, anchors and merged maps are read like any other file", async () => {
  const yaml = `\ufeffid: demo
name: Demo
operations:
  a: &base
    description: One
    rest: &rest { url: "https://a.test/x", query: &q { limit: .params.limit } }
    params: { limit: integer }
  b:
    <<: *base
    description: Two
  c:
    rest: { <<: *rest, query: *q }
    params: { limit: integer }
`.replaceAll("\n", "\r\n");
  const { skill, problems } = await loadFiles(yaml);
  assert.deepEqual(problems, []);
  assert.equal(skill?.operations.get("b")?.description, "Two");
  assert.equal(skill?.operations.get("c")?.executor.kind, "rest");
});

test("15,000 unknown keys are told without taking minutes", () => {
  const started = processorMs();
  const { problems } = read(Array.from({ length: 15_000 }, (_, i) => `k${i}: 1`).join("\n"));
  assert.ok(problems.length > 0);
  assert.ok(processorMs() - started < 30_000);
});

const word = fc.constantFrom(
  ..."id name description website connections operations adapters provides rest url method body params type required".split(
    " ",
  ),
  ..."default enum returns test skip command binary args stdin steps sql query graphql python module function auth".split(
    " ",
  ),
  ..."header base_url hosts domain cookies api_key response transform mapping via tool constructor __proto__ color".split(
    " ",
  ),
);
const leaf = fc.oneof(
  fc.constantFrom(
    ".params.x",
    ".auth.key",
    '"a" + .params.b',
    "none",
    "any",
    "./a.ts",
    "https://a.test",
    "GET",
    "{",
    "webpage[]",
    "constructor",
    "toString",
  ),
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const tree = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    leaf,
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(word, fc.string()), tie("node"), { maxKeys: 6 }),
  ),
})).node;

test("Manifests made at random are read or refused, and never crash the reader", (t) => {
  t.diagnostic(`seed ${seed}`);
  const manifest = fc.record(
    {
      id: leaf,
      name: leaf,
      connections: fc.oneof(tree, fc.dictionary(word, tree, { maxKeys: 3 })),
      operations: fc.oneof(
        tree,
        fc.dictionary(word, fc.dictionary(word, tree, { maxKeys: 6 }), { maxKeys: 3 }),
      ),
      adapters: tree,
      provides: fc.oneof(tree, fc.array(fc.dictionary(word, leaf))),
      color: leaf,
    },
    { requiredKeys: [] },
  );
  let read_ = 0;
  const readOrRefused = fc.property(manifest, (value) => {
    const { form, problems } = read(stringify(value));
    if (form !== undefined) read_++;
    assert.ok(form !== undefined || problems.some(({ severity }) => severity === "error"));
    for (const { line, column, message } of problems) {
      assert.ok(message.length > 0 && (line === undefined || (line >= 1 && (column ?? 0) >= 1)));
    }
  });
  const marks = fc.constantFrom(..."a:- {}[]&*!|>'\"%@`#,?\n\t. x".split(""));
  const noCrash = fc.property(fc.string({ unit: marks, maxLength: 200 }), (text) => {
    read(text);
  });
  const rounds = new Rounds({ short: 1, long: 25 });
  for (const round of rounds) {
    // Few that are made at random can be read: one of them is sure to be.
    fc.assert(readOrRefused, { numRuns: RANDOM, seed: seed + round, examples: [[{ name: "a" }]] });
    fc.assert(noCrash, { numRuns: RANDOM, seed: seed + round });
  }
  assert.ok(read_ > 0);
  did(t, { manifests: 2 * RANDOM * rounds.count }, { crashes: 0 });
});

test("Manifests cut off or changed anywhere load or are refused, with all of their expressions", async () => {
  const good = `id: demo
connections: {api: {base_url: "https://a.test", auth: {type: api_key, header: {k: .auth.key}}}}
operations:
  op:
    params: {q: {type: string, required: true}}
    rest: {url: '"/x/" + .params.q', body: {a: [.params.q]}, response: {transform: "[.[] | .a]"}}
  two:
    steps: [{id: a, rest: {url: /x}}, {id: b, skip_if: .a.x, csv: {input: .a.y}}]
adapters: {post: {id: .id, by: {person: {name: .author}}}}
`;
  assert.deepEqual((await loadFiles(good)).problems, []);
  for (let at = 0; at < good.length; at += 7) {
    const cut = await loadFiles(good.slice(0, at));
    assert.ok(cut.skill !== undefined || cut.problems.length > 0, `cut at ${at}`);
    const changed = await loadFiles(`${good.slice(0, at)}${"}:[.|"[at % 5]}${good.slice(at + 1)}`);
    assert.ok(changed.skill !== undefined || changed.problems.length > 0, `changed at ${at}`);
  }
});
