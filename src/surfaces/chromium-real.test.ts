import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { getCookies } from "@steipete/sweet-cookie";
import * as fc from "fast-check";
import { deletionOf, wanted } from "../../test/contracts/surface.ts";
import { arbitraryCookie } from "../../test/support/arbitrary-cookie.ts";
import { startCookieSite } from "../../test/support/cookie-site.ts";
import { noKeyring, startPrivateKeyring } from "../../test/support/private-keyring.ts";
import { noChromium, startChromium } from "../../test/support/real-chromium.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { createBrowsers } from "../browsers/index.ts";
import { ProfileLock } from "../chromium/index.ts";
import { type Cookie, cookieKey, cookiesFromCdp } from "../cookies/index.ts";
import { type Environment, readEnvironment } from "../platform/index.ts";
import { createChromiumProfileSurface } from "./index.ts";

const patience = { timeout: 180_000, skip: noChromium };
const clock = { now: () => Date.now() };

const fresh = (fields: Partial<Cookie>) =>
  wanted({
    expires: Date.now() + 30 * 86_400_000,
    created: Date.now() - 1000,
    updated: Date.now() - 1000,
    ...fields,
  });

function profileSurface(userData: string, env: Environment = readEnvironment()) {
  const browsers = createBrowsers({ env, platform: "linux" });
  const profile = browsers.find({ profile: userData });
  const surface = createChromiumProfileSurface({
    profile: profile.path,
    keysFor: (prefixes) => browsers.keysOf(profile, prefixes),
    clock,
    backups: join(userData, "..", "backups"),
  });
  return { surface, profile };
}

const keysIn = async (browser: Awaited<ReturnType<typeof startChromium>>) =>
  new Map(
    (await browser.cookies())
      .flatMap((one) => cookiesFromCdp([one]))
      .map((cookie) => [cookieKey(cookie), cookie]),
  );

for (const scheme of ["v10", "v11"] as const)
  test(`a closed Chromium profile (${scheme}) is logged in after it starts and keeps all else`, {
    ...patience,
    skip: noChromium || (scheme === "v11" && noKeyring),
  }, async () => {
    using folder = temporaryFolder("deliver");
    await using site = await startCookieSite();
    await using keyring = scheme === "v11" ? await startPrivateKeyring() : undefined;
    const userData = join(folder.path, "data");
    const start = () =>
      startChromium(
        keyring === undefined
          ? { userData }
          : { userData, passwordStore: "gnome-libsecret", env: keyring.env },
      );
    let before: Map<string, Cookie>;
    {
      await using browser = await start();
      await browser.visit(`${site.https("www.site.test")}/set`);
      before = await keysIn(browser);
      for (const [key, { expires }] of before) if (expires === null) before.delete(key);
      assert.ok(before.size >= 15);
    }
    const { surface, profile } = profileSurface(userData, keyring?.env);
    const random = fc
      .sample(arbitraryCookie, { numRuns: 600, seed: 7 })
      .map((cookie) => ({ ...cookie, expires: Date.now() + 86_400_000 }));
    const unique = [...new Map(random.map((cookie) => [cookieKey(cookie), cookie])).values()];
    const login = fresh({
      name: "session-of-joe",
      domain: "shop.test",
      sourcePort: -1,
      sourceScheme: "unset",
    });
    const want = [login, ...unique];
    const done = await surface.deliver(want, []);
    assert.equal(done.delivered + done.refused.length, want.length);
    assert.ok(done.delivered > 30, `${done.delivered} delivered`);
    const refused = new Set(done.refused.map(({ name, domain }) => `${domain} ${name}`));

    if (scheme === "v10") {
      const { cookies } = await getCookies({
        url: "https://shop.test/",
        browsers: ["chrome"],
        chromeProfile: join(profile.path, "Cookies"),
      });
      assert.deepEqual(
        cookies.map(({ name, value }) => [name, value]),
        [[login.name, login.value]],
      );
    }

    await using browser = await start();
    await browser.visit(`${site.https("www.shop.test")}/echo`);
    assert.match(site.sent.get("www.shop.test") ?? "", new RegExp(`session-of-joe=${login.value}`));
    const after = await keysIn(browser);
    for (const [key, cookie] of before) assert.equal(after.get(key)?.value, cookie.value, `${key} is kept`);
    const lost = want.filter(
      (cookie) =>
        !refused.has(`${cookie.domain} ${cookie.name}`) &&
        after.get(cookieKey(cookie))?.value !== cookie.value,
    );
    assert.deepEqual(lost, [], "what was reported as delivered is there");
    assert.equal(after.size, before.size + done.delivered, "nothing was deleted and nothing else came");
  });

test(
  "a browser that starts while a profile is written waits, and then sees what was written",
  patience,
  async () => {
    using folder = temporaryFolder("deliver");
    const userData = join(folder.path, "data");
    await makeProfile(userData);
    const { surface } = profileSurface(userData);
    const lock = await ProfileLock.take(userData);
    assert.ok(lock instanceof ProfileLock);
    await using browser = await startChromium({ userData });
    const answered = browser.cookies().then(() => true);
    assert.equal(await Promise.race([answered, sleep(3000, false)]), false, "it waits");
    const delivery = surface.deliver([fresh({ domain: "shop.test" })], []);
    await lock[Symbol.asyncDispose]();
    assert.equal(await answered, true);
    const outcome = await delivery;
    // Whoever was first: the delivery before the browser, or the browser, and then the cookie waits.
    assert.equal(outcome.delivered + (outcome.queued ?? 0), 1);
    const sees = (await browser.cookies()).filter(({ domain }) => domain === ".shop.test").length;
    assert.equal(sees, outcome.delivered);
  },
);

test("a killed writer's lock does not keep the browser from starting", patience, async () => {
  using folder = temporaryFolder("deliver");
  const userData = join(folder.path, "data");
  await makeProfile(userData);
  const lock = await ProfileLock.take(userData);
  assert.ok(lock instanceof ProfileLock);
  const links = readdirSync(userData).filter((name) => name.startsWith("Singleton"));
  assert.equal(links.length, 3);
  await lock[Symbol.asyncDispose]();
  // What a kill leaves: links to a socket nobody listens at.
  symlinkSync(`${hostname()}-deputy999999999`, join(userData, "SingletonLock"));
  symlinkSync("/nowhere/SingletonSocket", join(userData, "SingletonSocket"));
  symlinkSync("4711", join(userData, "SingletonCookie"));
  await using browser = await startChromium({ userData });
  assert.deepEqual(await browser.cookies(), []);
});

test(
  "a running Chromium is logged in at once where it can be steered, else the cookies wait",
  patience,
  async () => {
    using folder = temporaryFolder("deliver");
    await using site = await startCookieSite();
    const userData = join(folder.path, "data");
    const login = fresh({ domain: "shop.test", value: "at-once" });
    {
      await using browser = await startChromium({ userData });
      await browser.visit(`${site.https("www.site.test")}/set`);
      await untilStored(userData);
      const { surface } = profileSurface(userData);
      const waits = await surface.deliver([login], [deletionOf(login)]);
      assert.deepEqual([waits.delivered, waits.queued, waits.refused.length], [0, 1, 1]);
      assert.match(waits.refused[0]?.reason ?? "", /waits for the browser to exit/);
    }
    await using browser = await startChromium({ userData, args: ["--remote-debugging-port=0"] });
    for (let i = 0; i < 100 && !existsSync(join(userData, "DevToolsActivePort")); i++) await sleep(50);
    assert.match(readFileSync(join(userData, "DevToolsActivePort"), "utf8"), /devtools/);
    const { surface } = profileSurface(userData);
    const done = await surface.deliver(
      [login, fresh({ name: "ends", domain: "shop.test", expires: null })],
      [],
    );
    assert.deepEqual([done.delivered, done.refused, done.surface], [2, [], "chromium"]);
    await browser.visit(`${site.https("shop.test")}/echo`);
    assert.match(site.sent.get("shop.test") ?? "", /sid=at-once/);
    const gone = await surface.deliver([], [deletionOf(login)]);
    assert.equal(gone.deleted, 1);
    await browser.visit(`${site.https("shop.test")}/echo`);
    assert.doesNotMatch(site.sent.get("shop.test") ?? "", /sid=/);
  },
);

/** Chromium makes its store when somebody first asks for a cookie, and a moment later. */
async function makeProfile(userData: string): Promise<void> {
  await using browser = await startChromium({ userData });
  await browser.cookies();
  await untilStored(userData);
}

async function untilStored(userData: string): Promise<void> {
  for (let i = 0; i < 200 && !existsSync(join(userData, "Default", "Cookies")); i++) await sleep(50);
}
