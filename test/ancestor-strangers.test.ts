/** Ten further skills in the ancestor's styles, written before anybody knew whether they would run. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AncestorDesk, type Granted } from "./support/ancestor-desk.ts";
import { CANARY } from "./support/ancestor-services.ts";

let desk: AncestorDesk;

const GRANTS = (home: string): Granted => ({
  news: [null, "hosts:any"],
  forum: [null, "hosts:any"],
  library: ["library.test"],
  assistant: ["assistant.test"],
  domains: ["registrar.test"],
  browserlog: [null, `path:${home}`],
  publisher: ["publish.test"],
  passwords: [null, `path:${home}`],
  wiki: [null],
  climbing: ["wall.test"],
});

before(async () => {
  desk = await AncestorDesk.open(["strangers"], GRANTS);
});
after(() => desk[Symbol.asyncDispose]());

const CASES: readonly [string, string, Record<string, unknown>, unknown][] = [
  ["news", "list_posts", {}, [{ id: "1", name: "front_page 30", author: "ada", score: 5 }]],
  ["news", "search", { query: "rust" }, [{ name: "rust 5" }]],
  ["news", "get_post", { url: "https://news.test/item?id=1" }, { id: "1", name: "Item" }],
  ["forum", "search", { query: "cats" }, [{ id: "f1", name: "cats deputy/1.0" }]],
  [
    "library",
    "list_friends",
    { user_id: "5" },
    [{ id: "1", name: "F 1", data: { books: 101 } }, { id: "2" }],
  ],
  ["assistant", "list_chats", {}, [{ id: "c1", name: "Chat 2" }]],
  ["domains", "list_domains", { start: 3 }, [{ id: "a3.test" }]],
  ["domains", "set_record", { domain: "a.test", content: "1.2.3.4" }, { ok: true }],
  ["browserlog", "list_history", { limit: 1 }, [{ id: "https://a.test/", name: "A", data: { visits: 3 } }]],
  [
    "publisher",
    "publish",
    { content: "<p>", title: "T" },
    { slug: "s1", url: "https://s1.publish.test/T", bytes: 3 },
  ],
  ["publisher", "whoami", {}, { who: "una" }],
  ["passwords", "import_items", { dry_run: true }, [{ issuer: "intra.test", title: "Intra" }]],
  [
    "wiki",
    "page.get",
    { title: "Cat", links: true },
    { id: "7", name: "Cat", content: "en text [a] [/w/links/7]" },
  ],
  ["wiki", "page.get", { title: "Dog" }, { content: "en text" }],
  ["climbing", "get_schedule", { day: "2026-01-02" }, [{ id: "4", name: "Class of 2026-01-02" }]],
  ["climbing", "my_bookings", {}, { bookings: ["b1"] }],
];

for (const [skill, operation, params, wanted] of CASES) {
  test(`${skill} ${operation} ${JSON.stringify(params)} runs as it was written`, async (t) => {
    if (desk.skipped) return t.skip(desk.skipped);
    assert.partialDeepStrictEqual(await desk.run(skill, operation, params), wanted);
    return undefined;
  });
}

test("What a password manager had is in the vault afterwards, and nowhere else", async (t) => {
  if (desk.skipped) return t.skip(desk.skipped);
  await desk.grant("passwords");
  await desk.all.grant("passwords", "intra.test", { allow: [`path:${desk.home}`] });
  const { data } = await desk.all.run("passwords", "import_items", {});
  assert.ok(!JSON.stringify(data).includes(CANARY));
  assert.deepEqual(desk.all.desk.stored("intra.test", "una", "api_key"), { key: CANARY });
  return undefined;
});

test("A connection that leads nowhere finds out where to go, as nobody, and what it found is kept", async (t) => {
  if (desk.skipped) return t.skip(desk.skipped);
  const { all } = desk;
  await all.grant("library", null, { allow: ["hosts:any"] });
  const endpoint = `http://api.library.test:${desk.server.port}/graphql`;
  assert.deepEqual((await all.run("library", "discover")).data, { endpoint });
  assert.deepEqual((await all.run("library", "discover")).data, { endpoint: `${endpoint} (kept)` });
  const { data } = await all.run("library", "search_books", { query: "War" });
  assert.partialDeepStrictEqual(data, [{ id: "1", name: "War", author: "Ada" }]);
  return undefined;
});
