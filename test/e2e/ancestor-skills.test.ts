/** The ancestor's skills through the program itself: a whole tree of them is added, shown, validated and run. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { TestHome } from "../support/deputy.ts";
import { noPython } from "../support/skill-host.ts";
import { writeSkill } from "../support/skill-folder.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/ancestor");
const skip = noPython;
const home = new TestHome();
after(() => home[Symbol.asyncDispose]());

test("a tree of folders in all three formats is added at once, and every skill in it can be used", {
  skip,
}, async () => {
  await home.ok(["setup", "--yes"]);
  const { added } = (await home.ok(["skills", "add", FIXTURES, "--json"])).json();
  const ids = added.map(({ id }: { id: string }) => id);
  for (const id of ["bookmarks", "shop", "portal", "finder", "tidy", "issues", "news", "wiki"])
    assert.ok(ids.includes(id), id);
  assert.equal(ids.length, 25);
  assert.deepEqual(
    added.filter(({ status }: { status: string }) => status === "broken"),
    [],
  );
});

test("a skill that is declared in Python is shown, validated and run like any other", { skip }, async () => {
  const shown = (await home.ok(["skills", "show", "finder", "--json"])).json();
  assert.equal(shown.name, "Finder");
  assert.deepEqual(Object.keys(shown.operations).length, 4);
  const { ok, skills } = (await home.ok(["skills", "validate", "--json"])).json();
  assert.equal(ok, true);
  assert.doesNotMatch(JSON.stringify(skills), /agentos has no/);
  const { data } = (
    await home.ok(["run", "tidy", "tidy", "-p", "text=<i>7 cats</i>", "--format", "json"])
  ).json();
  assert.equal(data.text, "7 CATS");
});

test("what is wrong with a declaration has its file and its line", { skip }, async () => {
  const folder = writeSkill(join(home.root, "odd"), {
    "odd.py": `import os
from agentos import connection, returns
connection("api", base_url=os.environ["X"])
connection("web", base_url="https://web.test", auth={"type": "cookies", "shape": 1})
@returns("post[]")
@connection("api")
def lost(): ...
@returns({"ok": "boolean"})
@connection("web")
def kept(): ...
`,
    "broken.py": "from agentos import returns\n@returns('x')\ndef f(:\n",
  });
  const ran = await home.run(["skills", "validate", folder, "--json"]);
  const [{ errors, warnings }] = ran.json().skills;
  const at = ({ file, line, message }: { file: string; line: number; message: string }) =>
    `${file}:${line} ${message}`;
  assert.match(errors.map(at).join("\n"), /broken\.py:3 is not Python/);
  const said = warnings.map(at).join("\n");
  assert.match(said, /odd\.py:3 base_url of the connection api has to be written out.*left out/);
  assert.match(said, /odd\.py:4 .*shape/);
});
