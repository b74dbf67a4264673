import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createExpressions } from "../../expressions/index.ts";
import { SkillLibrary } from "../../skills/index.ts";
import { type ListStamps, SkillWatch } from "./skill-watch.ts";

const yaml = (id: string, more = "") => `
id: ${id}
name: ${id}
description: One
provides: [{ tool: ${id}_items, via: list, description: Items }]
connections: { api: { base_url: "https://shop.test" } }
operations:
  list: { description: List, returns: json, rest: { url: / } }
${more}`;

test("who follows is told of what comes, changes and goes; what no list shows is not told", async () => {
  using folder = temporaryFolder("skill-watch");
  await using expressions = createExpressions();
  const home = join(folder.path, "skills");
  const write = (id: string, file: string, text: string) => {
    mkdirSync(join(home, id), { recursive: true });
    writeFileSync(join(home, id, file), text);
  };
  write("one", "skill.yaml", yaml("one"));
  const library = new SkillLibrary({
    bundled: join(folder.path, "none"),
    home,
    added: () => [],
    expressions,
  });
  const watch = new SkillWatch({ library, folder: home });
  const told: ListStamps[] = [];
  let wake = () => {};
  const next = async (what: string): Promise<ListStamps> => {
    const count = told.length;
    const late = setTimeout(() => wake(), 30_000);
    while (told.length === count) {
      const heard = new Promise<void>((resolve) => (wake = resolve));
      await heard;
      assert.ok(told.length > count, `never told: ${what}`);
    }
    clearTimeout(late);
    return told.at(-1)!;
  };
  const following = watch.follow((stamps) => {
    told.push(stamps);
    wake();
  });
  const first = await next("what is");

  write("two", "skill.yaml", yaml("two"));
  const second = await next("a new one");
  assert.notEqual(second.skills, first.skills);
  assert.notEqual(second.capabilities, first.capabilities);

  const other: ListStamps[] = [];
  using _other = watch.follow((stamps) => other.push(stamps));
  assert.deepEqual(other, [second], "who comes later is told what is");

  write("two", "readme.md", "# Two");
  write(
    "two",
    "skill.yaml",
    yaml("two", "  more: { description: More, returns: json, rest: { url: /more } }"),
  );
  write("one", "skill.yaml", yaml("one").replace("description: One", "description: Another"));
  const third = await next("another description");
  assert.notEqual(third.skills, second.skills);
  assert.equal(
    third.capabilities,
    second.capabilities,
    "an operation that is no tool of its own is in no list",
  );

  following[Symbol.dispose]();
  rmSync(join(home, "two"), { recursive: true });
  while (other.at(-1)?.capabilities !== first.capabilities) await new Promise((go) => setTimeout(go, 20));
  assert.equal(told.length, 3, "who has gone is told nothing");
});
