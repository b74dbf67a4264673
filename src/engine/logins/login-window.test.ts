import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createBrowsers } from "../../browsers/index.ts";
import { systemClock } from "../../kernel/index.ts";
import { readEnvironment } from "../../platform/index.ts";
import { openLoginWindow } from "./login-window.ts";

test("A browser that cannot be started leaves no folder", async () => {
  using folder = temporaryFolder("window");
  const env = readEnvironment();
  using browsers = createBrowsers({ env, clock: systemClock });
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder.path;
  try {
    const site = { page: "https://shop.test/", domain: "shop.test" };
    await assert.rejects(openLoginWindow({ env, browsers }, "/nowhere/chromium", site));
    assert.deepEqual(readdirSync(folder.path), []);
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
});
