import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createSkillState } from "./skill-state.ts";

const JOE = { domain: "shop.test", identifier: "joe" };
const bundled = { id: "shop", origin: "bundled", folder: "/v1/skills/shop" } as const;
const home = { id: "shop", origin: "home", folder: "/home/joe/.deputy/skills/shop" } as const;
const added = { id: "shop", origin: "added", folder: "/home/joe/shop" } as const;

test("A skill that takes another's id finds nothing of what that one remembered", () => {
  using folder = temporaryFolder("state");
  using state = createSkillState(join(folder.path, "state.db"));
  for (const skill of [bundled, home, added]) state.merge("data", skill, JOE, { from: skill.origin });
  for (const skill of [bundled, home, added]) {
    assert.deepEqual(state.read("data", skill, JOE), { from: skill.origin });
    assert.equal(state.get("data", skill, null, "from"), null);
  }
  assert.deepEqual(state.read("data", { ...added, folder: "/elsewhere/shop" }, JOE), {});
  assert.deepEqual(state.read("data", { ...bundled, folder: "/v2/skills/shop" }, JOE), { from: "bundled" });
  assert.equal(state.clear("cache", "shop"), 0);
  assert.equal(state.clear("data", "shop"), 3);
  for (const skill of [bundled, home, added]) assert.deepEqual(state.read("data", skill, JOE), {});
});
