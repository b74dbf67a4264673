import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseCookie } from "../cookies/index.ts";
import { noChromium } from "../../test/support/real-chromium.ts";
import { startSessionSite } from "../../test/support/session-site.ts";
import { inPage, owner, request, seed, sessionsWith } from "../../test/support/test-sessions.ts";

const skip = noChromium;
const { signal } = new AbortController();
const all = sessionsWith(startSessionSite);

test("two agents use one login, and neither sees what the other did with it", { skip }, async () => {
  const { sessions } = all.held;
  const url = all.site.url("shop.test");
  const [a, b] = [owner("a"), owner("b")];
  const [first, second] = await Promise.all([
    sessions.open(request(a, { url }), signal),
    sessions.open(request(b, { url }), signal),
  ]);
  assert.notEqual(first.id, second.id);
  assert.equal(first.report.cookies.cloned, 1);
  assert.deepEqual(first.report.cookies.refused, []);
  assert.equal(first.report.logins[0]?.domain, "shop.test");
  assert.ok(!JSON.stringify(first).includes("canary"));
  await sessions.tab(a, first.id, all.site.url("shop.test", "/set?agent1=secret123"), signal);
  await sessions.tab(b, second.id, all.site.url("shop.test", "/set?agent2=xyz789"), signal);
  const sent = async (who: typeof a, id: string) => {
    const before = all.site.requests.length;
    await sessions.tab(who, id, url, signal);
    return all.site.requests.slice(before).find(({ path }) => path === "/")?.headers.cookie;
  };
  assert.equal(await sent(a, first.id), "sid=canary-of-a-cloned-login; agent1=secret123");
  assert.equal(await sent(b, second.id), "sid=canary-of-a-cloned-login; agent2=xyz789");
  assert.deepEqual(
    (await sessions.list(a)).map(({ id }) => id),
    [first.id],
  );
  assert.equal((await sessions.list(owner("owner", { seesAll: true }))).length, 2);
  await assert.rejects(sessions.dispose(b, first.id), { code: "NOT_FOUND" });
  await sessions.dispose(a, first.id);
  await sessions.dispose(b, second.id);
  assert.equal(sessions.count, 0);
  assert.deepEqual(readdirSync(join(all.held.folder, "sessions", "files")), []);
});

test("a session looks like the browser it is, seen from a page", { skip }, async () => {
  const { sessions } = all.held;
  const a = owner("looks");
  const { id } = await sessions.open(request(a, { url: all.site.url("localhost") }), signal);
  const live = await sessions.live(a, id, signal);
  const seen = (await inPage(
    live,
    `(async () => ({
      webdriver: navigator.webdriver, agent: navigator.userAgent, languages: navigator.languages,
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone, screen: [screen.width, screen.height],
      outer: [outerWidth, outerHeight],
      hints: await navigator.userAgentData.getHighEntropyValues(["fullVersionList", "architecture", "bitness"]),
    }))()`,
  )) as Record<string, any>;
  assert.equal(seen["webdriver"], false);
  assert.doesNotMatch(seen["agent"], /Headless/);
  assert.equal(seen["languages"][0], "de-DE");
  assert.equal(seen["zone"], "Europe/Berlin");
  assert.deepEqual(
    [seen["screen"], seen["outer"]],
    [
      [1440, 900],
      [1440, 900],
    ],
  );
  const full = seen["hints"].fullVersionList.find(({ brand }: { brand: string }) => brand === "Chromium");
  assert.match(full.version, /^\d+\.\d+\.\d+\.\d+$/);
  assert.match(seen["agent"], new RegExp(`Chrome/${full.version.split(".")[0]}\\.0\\.0\\.0`));
  const sent = all.site.requests.filter(({ host }) => host === "localhost").at(0);
  assert.doesNotMatch(JSON.stringify(sent?.headers), /Headless/);
  assert.match(String(sent?.headers["accept-language"]), /^de-DE,de;q=0\.9/);
  await sessions.dispose(a, id);
});

test("every cookie is accounted for, whatever its attributes", { skip }, async () => {
  const { sessions } = all.held;
  const a = owner("accounts");
  const base = { domain: "shop.test", value: "v" };
  const cookies = [
    parseCookie({ ...base, name: "plain" }),
    parseCookie({ ...base, name: "secure", secure: true, sameSite: "none", hostOnly: true }),
    parseCookie({
      ...base,
      name: "chips",
      secure: true,
      sameSite: "none",
      partitionKey: { topLevelSite: "https://a.test", crossSiteAncestor: true },
    }),
    parseCookie({ ...base, name: "__Host-x", secure: true, hostOnly: true, path: "/" }),
    parseCookie({ ...base, name: "__Host-bad", secure: false }),
    parseCookie({ ...base, name: "over", expires: Date.now() - 1000 }),
    parseCookie({ ...base, name: "path", path: "/a/b", httpOnly: true, sameSite: "strict" }),
  ];
  const { id, report } = await sessions.open(request(a, { seed: async () => seed({ cookies }) }), signal);
  assert.equal(report.cookies.cloned, 5);
  assert.deepEqual(report.cookies.refused.map(({ name }) => name).sort(), ["__Host-bad", "over"]);
  assert.ok(report.cookies.refused.every(({ reason }) => reason.length > 5));
  await sessions.dispose(a, id);
});

test("a session of one owner and one source is one session; two opens at once clone once", {
  skip,
}, async () => {
  const { sessions } = all.held;
  const a = owner("twice");
  let clones = 0;
  const counted = request(a, { seed: async () => (clones++, seed()) });
  const [one, two] = await Promise.all([sessions.open(counted, signal), sessions.open(counted, signal)]);
  const three = await sessions.open(counted, signal);
  assert.deepEqual([one.id, two.id, three.id], [one.id, one.id, one.id]);
  assert.equal(clones, 1);
  const other = await sessions.open({ ...counted, name: "helper" }, signal);
  assert.notEqual(other.id, one.id);
  await assert.rejects(sessions.open({ ...counted, allow: ["shop.test"] }, signal), { code: "CONFLICT" });
  await sessions.dispose(a, one.id);
  await sessions.dispose(a, other.id);
});

test("what is being opened counts, for all and for each agent; what is open can still be used", {
  skip,
}, async () => {
  const { sessions } = all.held;
  all.held.limits = { ...all.held.limits, concurrent: 2, perAgent: 1 };
  const gate = Promise.withResolvers<void>();
  const slow = { seed: async () => (await gate.promise, seed()) };
  const [a, b, c] = [owner("a"), owner("b"), owner("c")];
  const opening = [sessions.open(request(a, slow), signal), sessions.open(request(b, slow), signal)];
  await assert.rejects(sessions.open(request(a, { name: "more" }), signal), { code: "ENGINE_BUSY" });
  await assert.rejects(sessions.open(request(c), signal), { code: "ENGINE_BUSY", message: /All 2/ });
  gate.resolve();
  const [first, second] = await Promise.all(opening);
  assert.equal((await sessions.open(request(a), signal)).id, first?.id);
  await sessions.dispose(a, first?.id ?? "");
  const third = await sessions.open(request(c), signal);
  await sessions.dispose(b, second?.id ?? "");
  await sessions.dispose(c, third.id);
  all.held.limits = { ...all.held.limits, concurrent: 10, perAgent: 5 };
});

test("disposing of a session while it is cloned cancels it and leaves nothing", { skip }, async () => {
  const { sessions } = all.held;
  const a = owner("early");
  let given: AbortSignal | undefined;
  const never = (its: AbortSignal) => {
    given = its;
    return new Promise<never>(() => {});
  };
  const opening = sessions.open(request(a, { seed: never }), signal);
  const [listed] = await sessions.list(a);
  assert.equal(listed?.state, "opening");
  const [opened] = await Promise.allSettled([opening, sessions.dispose(a, listed?.id ?? "")]);
  assert.equal(opened.status === "rejected" && opened.reason.code, "CANCELLED");
  assert.ok(given?.aborted);
  assert.equal(sessions.count, 0);
  assert.deepEqual(await sessions.list(a), []);
  assert.ok(!existsSync(join(all.held.folder, "sessions", `${listed?.id}.json`)));
});

test("an open that fails gives its place back, also where only its page failed", { skip }, async () => {
  const { sessions } = all.held;
  const a = owner("unlucky");
  const fails = async () => {
    throw new Error("no");
  };
  await assert.rejects(sessions.open(request(a, { seed: fails }), signal), { message: "no" });
  let closed = 0;
  const close = async () => void closed++;
  const unusable = { allow: ["not a host"], seed: async () => seed({ close }) };
  await assert.rejects(sessions.open(request(a, unusable), signal), { code: "BAD_INPUT" });
  assert.equal(closed, 1, "its source is let go of");
  await assert.rejects(sessions.open(request(a, { url: "http://127.0.0.1:1/" }), signal), {
    code: "NETWORK_FAILED",
  });
  await assert.rejects(sessions.open(request(a, { url: "file:///etc/passwd" }), signal), {
    code: "BAD_INPUT",
  });
  assert.equal(sessions.count, 0);
});

test("whoever hangs up while a page loads leaves no session that nobody was told of", { skip }, async () => {
  const { sessions } = all.held;
  const a = owner("hasty");
  const controller = new AbortController();
  const opening = sessions.open(request(a, { url: all.site.url("shop.test", "/slow") }), controller.signal);
  while (!all.site.requests.some(({ path }) => path === "/slow"))
    await new Promise((done) => setTimeout(done, 20));
  controller.abort();
  await assert.rejects(opening, { code: "CANCELLED" });
  assert.equal(sessions.count, 0);
});
