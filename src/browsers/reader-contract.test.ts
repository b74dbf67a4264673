import { join } from "node:path";
import { type MadeStore, NOW, settle, testCookieReader } from "../../test/contracts/cookie-reader.ts";
import { writeChromiumProfile } from "../../test/support/chromium-profile.ts";
import { writeFirefoxProfile } from "../../test/support/firefox-profile.ts";
import { writeSafariCookies } from "../../test/support/safari-cookies.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Unlabelled } from "../cookies/index.ts";
import { type BrowserProfile, createBrowsers } from "./index.ts";

const clock = { now: () => NOW };
const browsers = createBrowsers({ env: {}, clock, platform: "linux" });

type Write = (folder: string, cookies: readonly Unlabelled[]) => string;

function maker(profile: Pick<BrowserProfile, "browser" | "family">, write: Write) {
  return async (cookies: readonly Unlabelled[]): Promise<MadeStore> => {
    const folder = temporaryFolder(profile.browser);
    const path = join(folder.path, "profile");
    const file = write(path, cookies);
    settle(file);
    const reader = browsers.reader({ ...profile, profile: "p", folder: "profile", path, isDefault: true });
    return {
      reader,
      file,
      async [Symbol.asyncDispose]() {
        folder[Symbol.dispose]();
      },
    };
  };
}

testCookieReader({
  name: "The Chromium reader",
  make: maker({ browser: "chromium", family: "chromium" }, writeChromiumProfile),
  kept: (cookie) => cookie,
});

testCookieReader({
  name: "The Firefox reader",
  make: maker({ browser: "firefox", family: "firefox" }, writeFirefoxProfile),
  kept: ({ priority: _priority, sourcePort: _sourcePort, ...cookie }) => cookie,
});

testCookieReader({
  name: "The Safari reader",
  make: maker({ browser: "safari", family: "safari" }, writeSafariCookies),
  kept: ({ name, value, domain, hostOnly, path, expires, secure, httpOnly, created }) => {
    return { name, value, domain, hostOnly, path, expires, secure, httpOnly, created };
  },
});
