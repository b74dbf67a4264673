import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { noChromium, startChromium } from "../../../test/support/real-chromium.ts";
import { startSessionSite } from "../../../test/support/session-site.ts";
import { inPage, owner, request, seed, sessionsWith } from "../../../test/support/test-sessions.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { evaluateIn } from "../browser/blank-page.ts";
import type { OriginStorage } from "./origin-storage.ts";

const skip = noChromium;
const { signal } = new AbortController();
const all = sessionsWith(startSessionSite);

/** Everything structured cloning knows, and two things that do not leave their browser. */
const FILL = `(async () => {
  localStorage.setItem("token", "canary-in-local-storage");
  const opening = indexedDB.open("app", 3);
  opening.onupgradeneeded = () => {
    const store = opening.result.createObjectStore("users", { keyPath: "id" });
    store.createIndex("by name", "name", { unique: true });
    opening.result.createObjectStore("misc", { autoIncrement: true });
    opening.result.createObjectStore("keys");
  };
  const db = await new Promise((done) => (opening.onsuccess = () => done(opening.result)));
  const change = db.transaction(["users", "misc", "keys"], "readwrite");
  const round = { name: "round" };
  round.self = round;
  change.objectStore("users").put({ id: 7, name: "ada", born: new Date(0), tags: new Set(["a"]), more: new Map([[1, { x: undefined }]]) });
  change.objectStore("misc").put(new Uint8Array([1, 2, 255]));
  change.objectStore("misc").put([NaN, -0, 10n, /a/gi, round, null]);
  change.objectStore("keys").put(new Blob(["x"]), "blob");
  change.objectStore("keys").put("kept", new Date(5));
  await new Promise((done) => (change.oncomplete = done));
  const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 128 }, false, ["encrypt"]);
  const more = db.transaction("keys", "readwrite");
  more.objectStore("keys").put(key, "key");
  await new Promise((done) => (more.oncomplete = done));
  db.close();
})()`;

/** What a page finds of it. */
const FIND = `(async () => {
  const opening = indexedDB.open("app");
  const db = await new Promise((done) => (opening.onsuccess = () => done(opening.result)));
  if (db.objectStoreNames.length === 0) return { local: { ...localStorage }, none: true };
  const ask = (request) => new Promise((done) => (request.onsuccess = () => done(request.result)));
  const users = db.transaction("users").objectStore("users");
  const { unique } = users.index("by name");
  const ada = await ask(users.index("by name").get("ada"));
  const misc = await ask(db.transaction("misc").objectStore("misc").getAll());
  const keys = await ask(db.transaction("keys").objectStore("keys").getAllKeys());
  const [nan, zero, big, pattern, round] = misc[1];
  const told = {
    local: { ...localStorage }, version: db.version, unique,
    born: ada.born instanceof Date && ada.born.getTime(), tags: [...ada.tags], more: "x" in ada.more.get(1),
    bytes: misc[0] instanceof Uint8Array && [...misc[0]], nan: Number.isNaN(nan), zero: Object.is(zero, -0),
    big: big === 10n, pattern: String(pattern), round: round.self === round, keys: keys.map(Number),
  };
  db.close();
  return told;
})()`;

test("local storage and IndexedDB are there at an origin's first document, once, with what was lost said", {
  skip,
}, async () => {
  const { sessions } = all.held;
  const [a, b] = [owner("from"), owner("to")];
  const url = all.site.url("localhost");
  const source = { kind: "blank" } as const;
  const first = await sessions.open(request(a, { source, url }), signal);
  await inPage(await sessions.live(a, first.id, signal), FILL);
  const state = await sessions.state(a, first.id, signal);
  const [stored] = state.origins;
  assert.equal(stored?.origin, new URL(url).origin);
  assert.deepEqual(
    stored?.lost.map(({ where, count, reason }) => [where, count, reason]),
    [
      ["app/keys", 1, "Blob does not leave its browser"],
      ["app/keys", 1, "CryptoKey does not leave its browser"],
    ],
  );

  let reads = 0;
  // As a saved state does: through JSON.
  const origins = new Map(
    (JSON.parse(JSON.stringify(state.origins)) as OriginStorage[]).map((one) => [one.origin, one]),
  );
  const seeded = seed({
    origins: [...origins.keys()],
    storageOf: async (origin) => (reads++, origins.get(origin)),
  });
  const second = await sessions.open(request(b, { seed: async () => seeded }), signal);
  assert.deepEqual([second.report.storage.waiting, reads], [1, 0], "nothing is read before it is needed");
  await sessions.tab(b, second.id, url, signal);
  const live = await sessions.live(b, second.id, signal);
  assert.deepEqual(await inPage(live, FIND), {
    local: { token: "canary-in-local-storage" },
    version: 3,
    unique: true,
    born: 0,
    tags: ["a"],
    more: true,
    bytes: [1, 2, 255],
    nan: true,
    zero: true,
    big: true,
    pattern: "/a/gi",
    round: true,
    keys: [5],
  });
  const [listed] = await sessions.list(b);
  assert.deepEqual([listed?.report.storage.waiting, listed?.report.storage.cloned], [0, 1]);
  assert.equal(listed?.report.storage.lost.length, 2);
  assert.equal(listed?.tabs.length, 1, "the page that wrote it is not a tab");

  await inPage(live, `localStorage.setItem("token", "refreshed")`);
  await sessions.tab(b, second.id, all.site.url("localhost", "/again"), signal);
  assert.equal(
    await inPage(live, `localStorage.getItem("token")`),
    "refreshed",
    "it is not overwritten later",
  );
  assert.equal(reads, 1);
  const [from] = await sessions.list(a);
  assert.equal(
    await inPage(await sessions.live(a, from?.id ?? "", signal), `localStorage.getItem("token")`),
    "canary-in-local-storage",
  );
  await sessions.dispose(a, first.id);
  await sessions.dispose(b, second.id);
});

test("a profile's storage is read from a copy at an origin's first visit, and the profile does not change", {
  skip,
}, async () => {
  const { sessions } = all.held;
  using folder = temporaryFolder("profile");
  const url = all.site.url("localhost");
  {
    await using person = await startChromium({ userData: folder.path });
    const { targetId } = await person.connection.call("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await person.connection.call("Target.attachToTarget", { targetId, flatten: true });
    const session = String(sessionId);
    await person.connection.call("Page.navigate", { url }, session);
    await evaluateIn(person.connection, { targetId: String(targetId), session }, FILL);
  }
  const storage = sessions.profileStorage(join(folder.path, "Default"));
  const close = () => storage[Symbol.asyncDispose]();
  const seeded = seed({ origins: "any", storageOf: (origin) => storage.read(origin), close });
  const a = owner("profile");
  const { id, report } = await sessions.open(request(a, { seed: async () => seeded, url }), signal);
  assert.equal(report.storage.waiting, null);
  const live = await sessions.live(a, id, signal);
  const found = (await inPage(live, FIND)) as Record<string, unknown>;
  assert.deepEqual([found["local"], found["big"]], [{ token: "canary-in-local-storage" }, true]);
  await inPage(live, `localStorage.setItem("token", "refreshed")`);
  await sessions.tab(a, id, all.site.url("localhost", "/again"), signal);
  assert.equal(await inPage(live, `localStorage.getItem("token")`), "refreshed");
  await sessions.dispose(a, id);
  assert.deepEqual(readdirSync(join(all.held.folder, "sessions", "profiles")), []);
});

test("a page opened by a page finds its storage too", { skip }, async () => {
  const { sessions } = all.held;
  const a = owner("popup");
  const origin = new URL(all.site.url("localhost")).origin;
  const storage = { origin, local: [["k", "v"]], databases: [], lost: [] } as const;
  const seeded = seed({ origins: [origin], storageOf: async () => storage });
  const { id } = await sessions.open(
    request(a, { seed: async () => seeded, url: all.site.url("shop.test") }),
    signal,
  );
  const live = await sessions.live(a, id, signal);
  const [tab] = (await sessions.list(a))[0]?.tabs ?? [];
  const { browser, connection } = live;
  const expression = `void open(${JSON.stringify(`${origin}/popup`)})`;
  await connection.call(
    "Runtime.evaluate",
    { expression, userGesture: true },
    await browser.targets.page(tab?.id ?? ""),
  );
  for (let tries = 0; tries < 200; tries++) {
    if ((await sessions.list(a))[0]?.report.storage.cloned === 1) break;
    await sleep(25);
  }
  await sessions.tab(a, id, `${origin}/`, signal);
  const saved = await sessions.state(a, id, signal);
  assert.deepEqual(saved.origins[0]?.local, [["k", "v"]]);
  await sessions.dispose(a, id);
});

test("neither storage, nor caches, nor service workers of one session are another's", { skip }, async () => {
  const { sessions } = all.held;
  const url = all.site.url("localhost");
  const source = { kind: "blank" } as const;
  const [a, b] = [owner("one"), owner("other")];
  const [first, second] = await Promise.all(
    [a, b].map((who) => sessions.open(request(who, { source, url }), signal)),
  );
  const [one, other] = [
    await sessions.live(a, first?.id ?? "", signal),
    await sessions.live(b, second?.id ?? "", signal),
  ];
  await inPage(
    one,
    `(async () => {
      localStorage.setItem("mine", "1");
      await (await caches.open("c")).put("/x", new Response("cached"));
      await navigator.serviceWorker.register("/sw.js");
      await navigator.serviceWorker.ready;
      await new Promise((done) => (indexedDB.open("mine").onsuccess = done));
    })()`,
  );
  const seen = `(async () => ({
    local: localStorage.length, caches: await caches.keys(), databases: (await indexedDB.databases()).length,
    workers: (await navigator.serviceWorker.getRegistrations()).length,
  }))()`;
  assert.deepEqual(await inPage(one, seen), { local: 1, caches: ["c"], databases: 1, workers: 1 });
  assert.deepEqual(await inPage(other, seen), { local: 0, caches: [], databases: 0, workers: 0 });
  await sessions.dispose(a, one.id);
  await sessions.dispose(b, other.id);
});
