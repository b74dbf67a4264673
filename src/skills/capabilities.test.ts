import assert from "node:assert/strict";
import { test } from "node:test";
import { loadFiles } from "../../test/support/skill-folder.ts";
import { capabilitiesOf, type CapabilityProvider, route, type Standing } from "./capabilities.ts";
import type { Skill } from "./skill.ts";
import { matchUrl } from "./url-pattern.ts";

async function skill(id: string, provides: string, params: string): Promise<Skill> {
  const { skill: loaded, problems } = await loadFiles(`
id: ${id}
name: ${id}
description: For tests
connections: { api: { base_url: "https://api.${id}.test" } }
provides: ${provides}
operations:
  find: { description: Finds with ${id}, params: ${params}, rest: { url: /find } }
`);
  assert.ok(loaded, JSON.stringify(problems));
  return loaded;
}

const skills = await Promise.all([
  skill(
    "brave",
    "[{ tool: web_search, via: find }]",
    "{ query: { type: string, required: true }, limit: { type: integer, default: 10 }, kind: { type: string, enum: [news, page] }, lang: { type: string } }",
  ),
  skill(
    "exa",
    "[{ tool: web_search, via: find }, { tool: web_read, via: find }]",
    "{ query: { type: string, description: What }, limit: { type: integer, default: 20 }, kind: { type: string, enum: [page, paper] }, lang: { type: 'string[]' }, url: { type: url } }",
  ),
  skill(
    "youtube",
    "[{ tool: web_read, via: find, urls: ['youtube.com/*', 'youtu.be/*'], description: Reads anything }]",
    "{ url: { type: url, required: true }, limit: { type: integer } }",
  ),
  skill(
    "shorts",
    "[{ tool: web_read, via: find, urls: ['youtube.com/shorts/*'] }]",
    "{ url: { type: url, required: true } }",
  ),
  skill("flights", "[{ tool: flight_search, via: find, urls: [flights.test] }]", "{ url: { type: url } }"),
  skill("maps", "[]", "{}"),
]);
const all = capabilitiesOf(skills);
const standings =
  (known: Record<string, Standing>) =>
  ({ skill: { id } }: CapabilityProvider): Standing =>
    known[id] ?? "anonymous";
const to = (tool: string, call: Parameters<typeof route>[2], known: Record<string, Standing> = {}) => {
  const { provider, why } = route(all, tool, call, standings(known));
  return [provider.skill.id, why];
};

test("A tool has the parameters all of its providers take, required where one requires them", () => {
  assert.deepEqual(
    all.map(({ tool, providers }) => [tool, providers.map((one) => one.skill.id)]),
    [
      ["flight_search", ["flights"]],
      ["web_read", ["exa", "youtube", "shorts"]],
      ["web_search", ["brave", "exa"]],
    ],
  );
  const [, read, search] = all;
  assert.deepEqual(search?.params, [
    { name: "query", type: "string", required: true, default: undefined, enum: null, description: "What" },
    { name: "limit", type: "integer", required: false, default: undefined, enum: null, description: null },
    { name: "kind", type: "string", required: false, default: undefined, enum: ["page"], description: null },
  ]);
  assert.deepEqual(
    read?.params.map(({ name, required }) => [name, required]),
    [["url", true]],
  );
  assert.deepEqual([search?.description, read?.description], ["Finds with brave", "Reads anything"]);
});

test("The skill asked for comes first, then one for the address, then one with a login, then one without", () => {
  const url = "https://www.youtube.com/watch?v=1";
  assert.deepEqual(to("web_search", { params: {}, skill: "exa" }), ["exa", "asked-for"]);
  assert.deepEqual(to("web_search", { params: {}, skill: "exa" }, { exa: "no-login" }), ["exa", "asked-for"]);
  assert.deepEqual(to("web_read", { params: { url }, skill: "exa" }), ["exa", "asked-for"]);
  assert.deepEqual(to("web_read", { params: { url } }, { exa: "granted" }), ["youtube", "address"]);
  assert.deepEqual(to("web_read", { params: { url: "https://a.test/" } }), ["exa", "anonymous"]);
  assert.deepEqual(to("web_search", { params: {} }, { exa: "granted" }), ["exa", "login"]);
  assert.deepEqual(to("web_search", { params: {} }, { brave: "not-granted" }), ["exa", "anonymous"]);
  assert.deepEqual(to("web_search", { params: {} }, { brave: "no-login", exa: "not-granted" }), [
    "exa",
    "nothing-ready",
  ]);
});

test("Of several for an address the one whose pattern says more is meant", () => {
  assert.deepEqual(to("web_read", { params: { url: "https://youtube.com/shorts/abc" } }), [
    "shorts",
    "address",
  ]);
  assert.deepEqual(
    to("web_read", { params: { url: "youtu.be/abc" } }),
    ["youtube", "address"],
    "as people type it",
  );
});

test("Of equals the one is meant that takes what was given; words to search for are no address", () => {
  assert.deepEqual(to("web_search", { params: { url: "https://a.test/", query: "x" } }), [
    "exa",
    "anonymous",
  ]);
  assert.deepEqual(to("web_search", { params: { query: "x", lang: "de" } }), ["brave", "anonymous"]);
  assert.deepEqual(to("web_search", { params: { query: "youtube.com" } }), ["brave", "anonymous"]);
});

test("A tool nobody provides, a skill that does not provide it, an address nobody is for: each says what there is", () => {
  assert.throws(() => to("web_serch", { params: {} }), {
    code: "NOT_FOUND",
    hint: "Did you mean web_search?",
  });
  assert.throws(() => to("fly", { params: {} }), {
    code: "NOT_FOUND",
    hint: "There is flight_search, web_read, web_search.",
  });
  assert.throws(() => to("web_search", { params: {}, skill: "maps" }), {
    code: "NOT_FOUND",
    hint: "brave, exa do.",
  });
  assert.throws(() => to("flight_search", { params: { url: "https://a.test/" } }), {
    code: "NOT_FOUND",
    hint: "There is something for flights.test.",
  });
  assert.throws(() => route([], "x", { params: {} }, () => "anonymous"), { hint: "No skill provides one." });
});

test("An operation that supplies logins is nobody's tool", async () => {
  const { skill: supplier } = await loadFiles(`
id: supplier
name: Supplier
description: For tests
provides: [{ auth: api_key, via: find }, { tool: keys, via: find }]
operations: { find: { description: Finds, params: {}, command: { binary: git, args: [] } } }
`);
  assert.deepEqual(capabilitiesOf(supplier === undefined ? [] : [supplier]), []);
});

const PATTERNS: [pattern: string, address: string, matches: boolean][] = [
  ["youtube.com/*", "https://youtube.com/watch?v=1", true],
  ["youtube.com/*", "https://www.youtube.com/", true],
  ["youtube.com/*", "http://m.youtube.com/x", true],
  ["youtube.com/*", "https://notyoutube.com/x", false],
  ["youtube.com/*", "https://youtube.com.evil.test/x", false],
  ["youtube.com/*", "https://evil.test/youtube.com/x", false],
  ["youtube.com/*", "https://youtube.com@evil.test/x", false],
  ["youtube.com", "https://youtube.com/anything", true],
  ["YouTube.com", "HTTPS://YOUTUBE.COM/", true],
  ["*.reddit.com/r/*/comments/*", "https://old.reddit.com/r/cats/comments/1", true],
  ["*.reddit.com/r/*/comments/*", "https://reddit.com/r/cats/comments/1", false],
  ["reddit.com/r/*/comments/*", "https://reddit.com/r/cats", false],
  ["a.test/doc", "https://a.test/doc", true],
  ["a.test/doc", "https://a.test/doc/1", true],
  ["a.test/doc", "https://a.test/document", false],
  ["a.test/*.pdf", "https://a.test/x/y.pdf", true],
  ["a.test/*.pdf", "https://a.test/x/y.pdfx", false],
  ["https://a.test/*", "http://a.test/", false],
  ["a.test:8080/*", "http://a.test:8080/x", true],
  ["a.test:8080/*", "http://a.test/x", false],
  ["*", "https://anything.test/", true],
  ["", "https://anything.test/", false],
  ["a.test", "ftp://a.test/", false],
  ["a.test", "javascript:a.test", false],
  ["a.test", "how to a.test", false],
  [`a.test/${"*a".repeat(50)}`, `https://a.test/${"a".repeat(20_000)}`, true],
  [`a.test/${"*a".repeat(50)}b`, `https://a.test/${"a".repeat(20_000)}`, false],
];

test("Patterns are for hosts with their subdomains and for paths from their beginning", () => {
  for (const [pattern, address, matches] of PATTERNS)
    assert.equal(matchUrl(pattern, address), matches, `${pattern.slice(0, 40)} ${address.slice(0, 60)}`);
});
