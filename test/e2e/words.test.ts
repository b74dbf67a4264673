/** What a person reads in the first minutes: every next step named is one that is there. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { TestHome } from "../support/deputy.ts";
import { writeSkill } from "../support/skill-folder.ts";

test("setup, a skill that needs a login, and a run that lacks a word say what comes next", async () => {
  await using home = new TestHome();
  assert.match(
    (await home.ok(["setup", "--yes"])).stdout,
    /Three things to try:\n {2}deputy run hackernews list_stories /,
  );
  const auth = { type: "api_key", header: { k: ".auth.key" } };
  const folder = writeSkill(join(home.root, "one"), {
    "skill.yaml": JSON.stringify({
      id: "one",
      name: "One",
      description: "One operation",
      connections: { api: { base_url: "https://api.one.test", auth } },
      operations: { get: { description: "Gets it", rest: { url: "/x" } } },
    }),
  });
  const added = (await home.ok(["skills", "add", folder])).stdout;
  assert.match(added, /^Added one: 1 operation\. It needs a login: [^\n]+\.\n$/);
  const short = await home.run(["run", "exa"]);
  assert.deepEqual([short.status, short.stdout], [2, ""]);
  assert.match(short.stderr, /See deputy run --help\n$/);
  const misspelt = await home.run(["skills", "test", "exa", "--opp", "x"]);
  assert.match(misspelt.stderr, /See deputy skills test --help\n$/);
  await home.set("exa.ai", "joe", "api_key", { key: "canary-key-of-exa" });
  await home.ok(["grants", "add", "--skill", "exa", "--identity", "exa.ai"]);
  const params = ["--provider", "chrome", "-p", "query=x", "--json"];
  const elsewhere = (await home.run(["run", "exa", "search", ...params])).json().error;
  assert.match(elsewhere.message, /^chrome has no key for exa\.ai/);
});

test("skills clear forgets what a skill kept, and asks which", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  const which = await home.run(["skills", "clear", "exa", "--json"]);
  assert.deepEqual([which.status, which.json().error.code], [2, "BAD_USAGE"]);
  assert.deepEqual((await home.ok(["skills", "clear", "exa", "--cache", "--data", "--json"])).json(), {
    removed: 0,
  });
  assert.equal(
    (await home.ok(["skills", "clear", "exa", "--cache"])).stdout,
    "There was nothing to forget.\n",
  );
});
