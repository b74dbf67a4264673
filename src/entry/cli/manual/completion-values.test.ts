import assert from "node:assert/strict";
import { after, test } from "node:test";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { completionValues } from "./completion-values.ts";

const home = temporaryFolder("completion");
process.env["DEPUTY_HOME"] = home.path;
after(() => home[Symbol.dispose]());

test("names come without an engine, however much of the patience is spent", async () => {
  for (const spent of [0, 96.94262699999999, 249.5, 10_000]) {
    assert.ok((await completionValues("skills", "", spent)).includes("hackernews"));
    assert.deepEqual(await completionValues("operations", "sqlite", spent), [
      "execute",
      "list_tables",
      "query",
    ]);
    assert.ok((await completionValues("shapes", "", spent)).includes("webpage"));
  }
});

test("of a skill that is not there, and of what only an engine knows, there is none", async () => {
  assert.deepEqual(await completionValues("operations", "no-such-skill"), []);
  assert.deepEqual(await completionValues("sessions", ""), []);
});
