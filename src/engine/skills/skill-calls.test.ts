import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { writeSkill } from "../../../test/support/skill-folder.ts";
import { book } from "../../../test/support/test-graph.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createExpressions } from "../../expressions/index.ts";
import { type Caller, systemClock } from "../../kernel/index.ts";
import { homePaths } from "../../platform/index.ts";
import { createLibrary } from "./create-library.ts";
import type { CallContext } from "../methods.ts";
import { createSkillCalls } from "./skill-calls.ts";
import { VaultDoor } from "../vault/vault-door.ts";

const as = (caller: Pick<Caller, "kind" | "via">): CallContext => ({
  caller: { agent: "someone", instance: "instance_1", ...caller },
  signal: new AbortController().signal,
  progress: () => {},
});

test("Only the owner has a folder outside the library looked into", async () => {
  using folder = temporaryFolder("skill-calls");
  const paths = homePaths({ HOME: folder.path, DEPUTY_HOME: join(folder.path, "home") });
  const mine = writeSkill(join(folder.path, "mine"), { "skill.yaml": "id: mine\n", "readme.md": "x" });
  await using expressions = createExpressions();
  await using door = new VaultDoor({ paths, clock: systemClock });
  const shapes = () => book;
  const calls = createSkillCalls({ ...createLibrary(paths, expressions), expressions, door, paths, shapes });

  for (const caller of [
    { kind: "agent", via: "mcp" },
    { kind: "agent", via: "cli" },
    { kind: "owner", via: "mcp" },
  ] as const) {
    const context = as(caller);
    const denied = { code: "DENIED", message: /^Only the owner / };
    await assert.rejects(
      calls["skills.validate"]({ targets: [{ name: "mine", path: mine }] }, context),
      denied,
    );
    const known = await calls["skills.validate"]({ targets: [{ name: "exa", path: mine }] }, context);
    assert.deepEqual(known, { ok: true, skills: [{ id: "exa", errors: [], warnings: [] }] });
    assert.ok((await calls["skills.list"]({}, context)).some(({ id }) => id === "exa"));
  }
  assert.equal(existsSync(paths.home), false, "nothing was written");
});
