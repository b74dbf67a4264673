/** Profiles are found on every system; the trees here are as each browser lays them out. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { cookie, NOW, settle } from "../../test/contracts/cookie-reader.ts";
import { writeChromiumProfile } from "../../test/support/chromium-profile.ts";
import { writeFirefoxProfile } from "../../test/support/firefox-profile.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { deriveSealingKey } from "../chromium/index.ts";
import { DeputyError } from "../kernel/index.ts";
import { type Browsers, createBrowsers } from "./index.ts";

interface Machine extends Disposable {
  readonly home: string;
  readonly browsers: Browsers;
}

function machine(
  platform: NodeJS.Platform,
  files: Record<string, string>,
  env: Record<string, string> = {},
): Machine {
  const folder = temporaryFolder("machine");
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    settle(path);
  }
  const clock = { now: () => NOW };
  const browsers = createBrowsers({
    env: { HOME: folder.path, USERPROFILE: folder.path, ...env },
    platform,
    clock,
  });
  return { home: folder.path, browsers, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

function found({ home, browsers }: Machine): string[] {
  return browsers
    .list()
    .map(({ browser, profile, path }) => `${browser} | ${profile} | ${relative(home, path)}`);
}

const localState = JSON.stringify({
  profile: {
    last_used: "Profile 1",
    info_cache: { Default: { name: "Person 1" }, "Profile 1": { name: "Work\u0007" } },
  },
});

test("Linux: native, Flatpak and Snap profiles are found by the names browsers show", () => {
  using linux = machine("linux", {
    ".config/google-chrome/Local State": localState,
    ".config/google-chrome/Default/Cookies": "",
    ".config/google-chrome/Profile 1/Network/Cookies": "",
    ".config/google-chrome/Guest Profile/Cookies": "",
    ".config/google-chrome/Crashpad/settings": "",
    ".config/chromium/Default/Cookies": "",
    "snap/chromium/common/chromium/Default/Cookies": "",
    ".var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser/Default/Cookies": "",
    ".config/microsoft-edge/Default/Cookies": "",
    ".config/vivaldi/Default/Cookies": "",
    ".config/opera/Cookies": "",
    ".mozilla/firefox/profiles.ini":
      "[Install4F96D1932A9F858E]\nDefault=b.default-release\nLocked=1\n\n[Profile1]\nName=default\nIsRelative=1\nPath=a.default\nDefault=1\n\n[Profile0]\r\nName=Ann & Bob\r\nIsRelative=1\r\nPath=b.default-release\r\n\n[General]\nStartWithLastProfile=1\n",
    ".mozilla/firefox/a.default/cookies.sqlite": "",
    ".mozilla/firefox/b.default-release/cookies.sqlite": "",
    ".mozilla/firefox/b.default-release/containers.json": JSON.stringify({
      identities: [
        { userContextId: 1, public: true, l10nId: "user-context-personal" },
        { userContextId: 2, public: true, l10nID: "userContextWork.label" },
        { userContextId: 5, public: false, name: "userContextIdInternal.thumbnail" },
        { userContextId: 7, public: true, name: "Bank" },
      ],
    }),
    ".mozilla/firefox/c.switcher/cookies.sqlite": "",
    "snap/firefox/common/.mozilla/firefox/profiles.ini":
      "[Profile0]\nName=snapped\nIsRelative=1\nPath=s.default\n",
    "snap/firefox/common/.mozilla/firefox/s.default/cookies.sqlite": "",
    ".librewolf/profiles.ini": "[Profile0]\nName=wolf\nIsRelative=1\nPath=w\n",
    ".librewolf/w/cookies.sqlite": "",
    ".zen/z.Default/cookies.sqlite": "",
  });
  assert.deepEqual(found(linux), [
    "chrome | Work | .config/google-chrome/Profile 1",
    "chrome | Person 1 | .config/google-chrome/Default",
    "chromium | Default | .config/chromium/Default",
    "chromium | Default | snap/chromium/common/chromium/Default",
    "brave | Default | .var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser/Default",
    "edge | Default | .config/microsoft-edge/Default",
    "vivaldi | Default | .config/vivaldi/Default",
    "opera | Default | .config/opera",
    "firefox | Ann & Bob | .mozilla/firefox/b.default-release",
    "firefox | default | .mozilla/firefox/a.default",
    "firefox | Ann & Bob/Personal | .mozilla/firefox/b.default-release",
    "firefox | Ann & Bob/Work | .mozilla/firefox/b.default-release",
    "firefox | Ann & Bob/Bank | .mozilla/firefox/b.default-release",
    "firefox | c.switcher | .mozilla/firefox/c.switcher",
    "firefox | snapped | snap/firefox/common/.mozilla/firefox/s.default",
    "librewolf | wolf | .librewolf/w",
    "zen | z.Default | .zen/z.Default",
  ]);
});

test("macOS: profiles are found below Library, Safari's in its container", () => {
  const support = "Library/Application Support";
  using mac = machine("darwin", {
    [`${support}/Google/Chrome/Local State`]: localState,
    [`${support}/Google/Chrome/Default/Cookies`]: "",
    [`${support}/Arc/User Data/Default/Cookies`]: "",
    [`${support}/BraveSoftware/Brave-Browser/Default/Cookies`]: "",
    [`${support}/com.operasoftware.Opera/Default/Cookies`]: "",
    [`${support}/Firefox/profiles.ini`]:
      "[Profile0]\nName=default\nIsRelative=1\nPath=Profiles/x.default\nDefault=1\n",
    [`${support}/Firefox/Profiles/x.default/cookies.sqlite`]: "",
    "Library/Containers/com.apple.Safari/Data/Library/Cookies/Cookies.binarycookies": "",
    "Library/Containers/com.apple.Safari/Data/Library/WebKit/WebsiteDataStore/1F2E/Cookies/Cookies.binarycookies":
      "",
  });
  assert.deepEqual(found(mac), [
    `chrome | Person 1 | ${support}/Google/Chrome/Default`,
    `brave | Default | ${support}/BraveSoftware/Brave-Browser/Default`,
    `arc | Default | ${support}/Arc/User Data/Default`,
    `opera | Default | ${support}/com.operasoftware.Opera/Default`,
    `firefox | default | ${support}/Firefox/Profiles/x.default`,
    "safari | Default | Library/Containers/com.apple.Safari/Data/Library/Cookies",
    "safari | 1F2E | Library/Containers/com.apple.Safari/Data/Library/WebKit/WebsiteDataStore/1F2E/Cookies",
  ]);
});

test("Windows: profiles are found below AppData", () => {
  using windows = machine("win32", {
    "AppData/Local/Google/Chrome/User Data/Local State": localState,
    "AppData/Local/Google/Chrome/User Data/Default/Network/Cookies": "",
    "AppData/Local/Microsoft/Edge/User Data/Default/Network/Cookies": "",
    "AppData/Roaming/Opera Software/Opera Stable/Default/Network/Cookies": "",
    "AppData/Roaming/Mozilla/Firefox/profiles.ini":
      "[Profile0]\r\nName=default\r\nIsRelative=1\r\nPath=Profiles/x\r\n",
    "AppData/Roaming/Mozilla/Firefox/Profiles/x/cookies.sqlite": "",
  });
  assert.deepEqual(found(windows), [
    "chrome | Person 1 | AppData/Local/Google/Chrome/User Data/Default",
    "edge | Default | AppData/Local/Microsoft/Edge/User Data/Default",
    "opera | Default | AppData/Roaming/Opera Software/Opera Stable/Default",
    "firefox | default | AppData/Roaming/Mozilla/Firefox/Profiles/x",
  ]);
});

test("files that list profiles may be missing, damaged or hostile", () => {
  using odd = machine("linux", {
    ".config/google-chrome/Local State": "{ not JSON",
    ".config/google-chrome/Default/Cookies": "",
    ".config/chromium/Local State": '{"profile": {"info_cache": [1, 2], "last_used": 7}}',
    ".config/chromium/Default/Cookies": "",
    ".mozilla/firefox/profiles.ini": `[Profile0]\nName=${"x".repeat(500)}\nPath=../../../../etc\n[Profile1]\n=\nPath=\n\0[`,
    ".mozilla/firefox/a/cookies.sqlite": "",
    ".mozilla/firefox/a/containers.json": '{"identities": [null, 3, {"userContextId": "2", "public": true}]}',
  });
  assert.deepEqual(found(odd), [
    "chrome | Default | .config/google-chrome/Default",
    "chromium | Default | .config/chromium/Default",
    "firefox | a | .mozilla/firefox/a",
  ]);
  using bare = machine("linux", {});
  assert.deepEqual(found(bare), []);
});

test("find takes a name, a folder's name, a path, or nothing", async () => {
  using linux = machine("linux", {
    ".config/google-chrome/Local State": localState,
    ".config/google-chrome/Default/Cookies": "",
    ".config/google-chrome/Profile 1/Cookies": "",
    ".config/chromium/Default/Cookies": "",
    ".config/google-chrome/System Profile/Cookies": "",
    ".config/google-chromed/Default/Cookies": "",
    "elsewhere/profile/Network/Cookies": "",
    "elsewhere/data/Default/Cookies": "",
    "elsewhere/fox/cookies.sqlite": "",
  });
  const { browsers, home } = linux;
  const path = (wanted: object) => relative(home, browsers.find(wanted).path);
  assert.equal(path({}), ".config/google-chrome/Profile 1");
  assert.equal(path({ browser: "Chrome" }), ".config/google-chrome/Profile 1");
  assert.equal(path({ browser: "chromium" }), ".config/chromium/Default");
  assert.equal(path({ profile: "Person 1" }), ".config/google-chrome/Default");
  assert.equal(path({ browser: "chrome", profile: "Default" }), ".config/google-chrome/Default");
  assert.equal(path({ profile: join(home, ".config/google-chrome") }), ".config/google-chrome/Profile 1");
  assert.equal(path({ profile: join(home, "elsewhere/data") }), "elsewhere/data/Default");
  assert.equal(browsers.find({ profile: join(home, "elsewhere/profile") }).browser, "chromium");
  assert.equal(
    browsers.find({ browser: "brave", profile: join(home, "elsewhere/profile") }).browser,
    "brave",
  );
  assert.equal(browsers.find({ profile: join(home, "elsewhere/fox") }).family, "firefox");
  const ownerOf = (folder: string) => browsers.find({ profile: join(home, folder) }).browser;
  assert.equal(ownerOf(".config/google-chrome/System Profile"), "chrome", "it lies in Chrome's folder");
  assert.equal(ownerOf(".config/google-chromed/Default"), "chromium", "which is another's");

  const fails = (wanted: object, code: string, hint: RegExp) =>
    assert.throws(
      () => browsers.find(wanted),
      (error) => error instanceof DeputyError && error.code === code && hint.test(error.hint ?? ""),
    );
  fails({ browser: "netscape" }, "BROWSER_NOT_FOUND", /It knows chrome, chromium/);
  fails(
    { browser: "brave" },
    "BROWSER_NOT_FOUND",
    /There is: chrome Work, chrome Person 1, chromium Default/,
  );
  fails({ profile: "Nobody" }, "BROWSER_NOT_FOUND", /There is: chrome Work/);
  fails({ profile: join(home, "nowhere") }, "BROWSER_NOT_FOUND", /There is: chrome Work/);
  fails({ profile: "Default" }, "BAD_INPUT", /Name the browser too/);
});

test("discover counts cookies and says what it could not read", async () => {
  using linux = machine("linux", {
    ".config/brave": "",
    ".mozilla/firefox/bad/cookies.sqlite": "no database",
  });
  const { home, browsers } = linux;
  settle(writeChromiumProfile(join(home, ".config/chromium/Default"), [cookie({}), cookie({ name: "b" })]));
  const v11 = deriveSealingKey("a lost password", 1);
  settle(writeChromiumProfile(join(home, ".config/google-chrome/Default"), [cookie({})], { keys: { v11 } }));
  settle(writeFirefoxProfile(join(home, ".mozilla/firefox/good"), [cookie({})]));
  const rows = (await browsers.discover()).map(({ browser, profile, cookies, readable, warnings }) => ({
    browser,
    profile,
    cookies,
    readable,
    codes: warnings.map(({ code }) => code),
  }));
  assert.deepEqual(rows, [
    { browser: "chrome", profile: "Default", cookies: 1, readable: false, codes: ["KEYRING_UNAVAILABLE"] },
    { browser: "chromium", profile: "Default", cookies: 2, readable: true, codes: [] },
    { browser: "firefox", profile: "bad", cookies: 0, readable: false, codes: ["STORE_DAMAGED"] },
    { browser: "firefox", profile: "good", cookies: 1, readable: true, codes: [] },
  ]);
});
