import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { writeSkill } from "../../../test/support/skill-folder.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createExpressions } from "../../expressions/index.ts";
import { type AddedSkill, AddedSkills, newSkill, readPinned, SkillLibrary } from "../index.ts";
import { folderState, pinOf, readFolder } from "./skill-folder.ts";

const expressions = createExpressions();
after(() => expressions[Symbol.asyncDispose]());

const yaml = (id: string, extra = "") =>
  `id: ${id}\nname: The ${id}\n${extra}operations:\n  op: { rest: { url: "https://a.test" } }\n`;

interface Shelf extends Disposable {
  root: string;
  added: AddedSkill[];
  library: SkillLibrary;
  put(where: string, files: Record<string, string>): string;
}

function shelf(): Shelf {
  const folder = temporaryFolder("library");
  const root = folder.path;
  const added: AddedSkill[] = [];
  const library = new SkillLibrary({
    bundled: join(root, "bundled"),
    home: join(root, "home"),
    added: () => added,
    expressions,
  });
  return {
    root,
    added,
    library,
    put: (where, files) => writeSkill(join(root, where), files),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test("Skills come from the package, the home and what was added; the strongest stands before the others", async () => {
  using s = shelf();
  s.put("bundled/a", { "skill.yaml": yaml("a") });
  s.put("bundled/b", { "skill.yaml": yaml("b") });
  s.put("home/a", { "skill.yaml": yaml("a", "description: mine\n") });
  s.put("home/notes", { "readme.md": "# Notes\n\nWords." });
  const path = s.put("elsewhere/my-a", { "skill.yaml": yaml("a", "description: newest\n") });
  let list = await s.library.list();
  assert.deepEqual(
    list.map(({ id, origin }) => [id, origin]),
    [
      ["a", "home"],
      ["b", "bundled"],
      ["notes", "home"],
    ],
  );
  assert.deepEqual(
    list[0]?.shadows.map(({ origin }) => origin),
    ["bundled"],
  );
  assert.equal((await s.library.get("a")).description, "mine");

  s.added.push({ path, dev: true });
  list = await s.library.list();
  assert.deepEqual(
    list[0]?.shadows.map(({ origin }) => origin),
    ["home", "bundled"],
  );
  const skill = await s.library.get("a");
  assert.deepEqual([skill.description, skill.dev, skill.origin], ["newest", true, "added"]);

  s.added.pop();
  assert.equal((await s.library.get("a")).description, "mine");
  await assert.rejects(s.library.get("bb"), { code: "NOT_FOUND", hint: "Did you mean b?" });
  assert.equal(await s.library.find("nope"), undefined);
});

test("A broken skill costs only itself, and no other code runs in its place", async () => {
  using s = shelf();
  s.put("bundled/a", { "skill.yaml": yaml("a") });
  s.put("bundled/b", { "skill.yaml": yaml("b") });
  s.put("home/a", { "skill.yaml": yaml("a").replace("url:", "ulr:") });
  s.put("home/bad", { "skill.yaml": "\t:[" });
  s.put("home/empty", { "x.txt": "" });
  s.put("home/Bad Name", { "readme.md": "x" });
  mkdirSync(join(s.root, "home/.hidden"));
  writeFileSync(join(s.root, "home/file.txt"), "");
  const list = await s.library.list();
  assert.deepEqual(
    list.map(({ id, skill }) => [id, skill !== undefined]),
    [
      ["Bad Name", false],
      ["a", false],
      ["b", true],
      ["bad", false],
      ["empty", false],
    ],
  );
  assert.equal(await s.library.find("a"), undefined);
  await assert.rejects(s.library.get("a"), {
    code: "SKILL_BROKEN",
    message: /skill.yaml:4:\d+: operations.op.rest has no key "ulr"/,
    hint: /deputy skills validate a/,
  });
});

test("A skill cannot take the name of something of Deputy's own", async () => {
  using s = shelf();
  s.put("home/mine", { "skill.yaml": yaml("cache") });
  s.put("home/vault", { "readme.md": "# Words" });
  for (const id of ["cache", "vault"]) {
    assert.equal(await s.library.find(id), undefined);
    await assert.rejects(s.library.get(id), {
      code: "SKILL_BROKEN",
      message: new RegExp(`cannot be called ${id}`),
    });
  }
  assert.throws(() => newSkill("session", { local: true }), { code: "BAD_INPUT" });
});

test("A changed file is a changed skill at the next use, whatever its time says", async () => {
  using s = shelf();
  const folder = s.put("home/a", {
    "skill.yaml": yaml("a", "description: one\n"),
    "lib/code.ts": "export const x = 1;",
  });
  s.put("home/b", { "skill.yaml": yaml("b") });
  const first = await s.library.get("a");
  assert.equal(await s.library.get("a"), first, "unchanged is not loaded again");

  const { atime, mtime } = statSync(join(folder, "lib/code.ts"));
  writeFileSync(join(folder, "lib/code.ts"), "export const x = 2;");
  utimesSync(join(folder, "lib/code.ts"), atime, mtime);
  const second = await s.library.get("a");
  assert.notEqual(second.pin, first.pin);

  writeFileSync(join(folder, "skill.yaml"), yaml("a", "description: two\n"));
  assert.equal((await s.library.get("a")).description, "two");
  writeFileSync(join(folder, "skill.yaml"), "nope: [");
  assert.equal(await s.library.find("a"), undefined);
  writeFileSync(join(folder, "skill.yaml"), yaml("a", "description: three\n"));
  assert.equal((await s.library.get("a")).description, "three");

  writeFileSync(join(folder, "skill.yaml"), yaml("renamed"));
  assert.equal(await s.library.find("a"), undefined);
  assert.equal((await s.library.get("renamed")).id, "renamed");
  renameSync(folder, join(s.root, "home/z"));
  assert.equal((await s.library.get("renamed")).folder, join(s.root, "home/z"));
  rmSync(join(s.root, "home/z"), { recursive: true });
  assert.equal(await s.library.find("renamed"), undefined);
  assert.equal((await s.library.get("b")).id, "b");
});

test("Many at once load a skill once", async () => {
  using s = shelf();
  s.put("home/a", { "skill.yaml": yaml("a") });
  const all = await Promise.all(Array.from({ length: 20 }, () => s.library.get("a")));
  assert.equal(new Set(all).size, 1);
});

test("Every skill's connections at a service can be found", async () => {
  using s = shelf();
  const one = (id: string, url: string) => `id: ${id}\nconnections: {api: {base_url: "${url}"}}\n`;
  s.put("home/a", { "skill.yaml": one("a", "https://api.shop.test") });
  s.put("home/b", { "skill.yaml": one("b", "https://www.shop.test") });
  s.put("home/c", { "skill.yaml": one("c", "https://other.test") });
  const found = await s.library.connectionsAt("shop.test");
  assert.deepEqual(
    found.map(({ skill, name }) => [skill, name]),
    [
      ["a", "api"],
      ["b", "api"],
    ],
  );
});

test("Those that supply something to others are found, and a weaker one of the same id is not", async () => {
  using s = shelf();
  const provides = "provides: [{ tool: web_read, via: op }]\n";
  s.put("bundled/a", { "skill.yaml": yaml("a", provides) });
  s.put("bundled/b", { "skill.yaml": yaml("b", provides) });
  s.put("bundled/c", { "skill.yaml": yaml("c") });
  s.put("bundled/broken", { "skill.yaml": yaml("broken", "provides: 1\n") });
  s.put("home/b", { "skill.yaml": yaml("b", "description: It provides nothing.\n") });
  assert.deepEqual(
    (await s.library.providing()).map(({ id }) => id),
    ["a"],
  );
});

test("A skill is found by its id without loading others, however the id is written", async () => {
  using s = shelf();
  const loaded: string[] = [];
  const watching = {
    ...expressions,
    compile: (...given: Parameters<typeof expressions.compile>) => {
      loaded.push(given[1].where.skill);
      return expressions.compile(...given);
    },
  };
  const library = new SkillLibrary({
    bundled: join(s.root, "bundled"),
    home: join(s.root, "home"),
    added: () => [],
    expressions: watching,
  });
  const rest = "operations: { op: { rest: { url: 'https://a.test' } } }";
  const table: [folder: string, yaml: string, id: string][] = [
    ["plain", `id: one\n${rest}`, "one"],
    ["quoted", `id: "two" # the second\r\n${rest}`, "two"],
    ["odd", `"id": three\n${rest}`, "three"],
    ["flow", `{ id: four, ${rest} }`, "four"],
    ["nameless", rest, "nameless"],
    ["mark", `\uFEFFid: five\n${rest}`, "five"],
  ];
  for (const [folder, yaml] of table) s.put(`home/${folder}`, { "skill.yaml": yaml });
  s.put("bundled/x", { "skill.yaml": `id: one\n${rest}` });
  for (const [folder, , id] of table) {
    loaded.length = 0;
    assert.equal((await library.get(id)).folder, join(s.root, "home", folder));
    assert.deepEqual([...new Set(loaded)], [id]);
  }
  await assert.rejects(library.get("tow"), { code: "NOT_FOUND", hint: "Did you mean two?" });
  // A manifest that is no YAML any more keeps its name, and its place before the weaker one.
  s.put("home/plain", { "skill.yaml": "id: one\noperations: [" });
  await assert.rejects(library.get("one"), { code: "SKILL_BROKEN" });
});

test("The pin is of every name and byte that can have an effect, and of nothing else", () => {
  using folder = temporaryFolder("pin");
  const files = { "skill.yaml": "id: a", "lib/a.ts": "1", "node_modules/p/index.js": "2" };
  writeSkill(folder.path, files);
  const pin = () => {
    const content = readFolder(folder.path);
    assert.ok("pin" in content, "refusal" in content ? content.refusal : "");
    return content.pin;
  };
  const before = pin();
  assert.match(before, /^sha256:[0-9a-f]{64}$/);
  writeSkill(folder.path, {
    ".git/HEAD": "x",
    "__pycache__/a.pyc": "x",
    "lib/__pycache__/b.pyc": "x",
    ".DS_Store": "x",
    "node_modules/.bin/x": "",
  });
  assert.equal(pin(), before, "ignored files are never handed to a host either");
  const content = readFolder(folder.path);
  assert.deepEqual("files" in content && [...content.files.keys()], [
    "lib/a.ts",
    "node_modules/p/index.js",
    "skill.yaml",
  ]);
  for (const path of Object.keys(files)) {
    writeSkill(folder.path, { [path]: "changed" });
    assert.notEqual(pin(), before, path);
    writeSkill(folder.path, { [path]: files[path as keyof typeof files] });
    assert.equal(pin(), before);
  }
  writeSkill(folder.path, { "lib/b.ts": "" });
  assert.notEqual(pin(), before);

  const two = (a: [string, string][]) => pinOf(new Map(a.map(([path, text]) => [path, Buffer.from(text)])));
  assert.notEqual(two([["a", "bc"]]), two([["ab", "c"]]));
  assert.notEqual(
    two([
      ["a", "1"],
      ["b", ""],
    ]),
    two([
      ["a", ""],
      ["b", "1"],
    ]),
  );
});

test("What a run gets is what was pinned", async () => {
  using s = shelf();
  const folder = s.put("home/a", { "skill.yaml": yaml("a"), "a.ts": "1" });
  const skill = await s.library.get("a");
  assert.equal(readPinned(skill).get("a.ts")?.toString(), "1");
  writeFileSync(join(folder, "a.ts"), "2");
  assert.throws(() => readPinned(skill), { code: "CONFLICT" });
});

test("A folder with links, too many files or too much in them is no skill", async () => {
  using s = shelf();
  const linked = s.put("home/linked", { "skill.yaml": yaml("linked") });
  symlinkSync("/etc/passwd", join(linked, "a.ts"));
  const inside = s.put("home/inside", { "skill.yaml": yaml("inside") });
  symlinkSync("/etc", join(inside, "etc"));
  const many = Object.fromEntries(Array.from({ length: 4_001 }, (_, i) => [`f/${i}`, ""]));
  s.put("home/many", { "skill.yaml": yaml("many"), ...many });
  const deep = `${"d/".repeat(30)}x`;
  s.put("home/deep", { "skill.yaml": yaml("deep"), [deep]: "" });
  const big = s.put("home/big", { "skill.yaml": yaml("big") });
  for (let i = 0; i < 5; i++) writeFileSync(join(big, `${i}`), Buffer.alloc(13 * 1024 * 1024));
  const reasons = Object.fromEntries(
    (await s.library.list()).map(({ id, problems }) => [id, problems[0]?.message]),
  );
  assert.deepEqual(reasons, {
    linked: "a.ts is a link",
    inside: "etc is a link",
    many: "it has more than 4000 files",
    deep: "its folders are nested more than 24 deep",
    big: "its files are over 64 MB together",
  });
  assert.match(folderState(join(s.root, "gone")).refusal ?? "", /cannot be read \(ENOENT\)/);
});

test("What the owner added is kept in one private file, whole trees too", () => {
  using folder = temporaryFolder("added");
  const home = join(folder.path, "home");
  mkdirSync(home);
  const file = join(home, "skills.json");
  const one = writeSkill(join(folder.path, "one"), { "skill.yaml": yaml("one") });
  const words = writeSkill(join(folder.path, "words"), { "README.md": "x" });
  const tree = writeSkill(join(folder.path, "tree"), {
    "README.md": "a collection",
    "skills/a/skill.yaml": yaml("a"),
    "skills/b/skill.yaml": yaml("b"),
    "skills/b/docs/skill.yaml": "not another",
    "node_modules/x/skill.yaml": "no",
  });
  const added = new AddedSkills({ file, home });
  assert.deepEqual(added.list(), []);
  added.add(one, { dev: false });
  added.add(words, { dev: false });
  assert.deepEqual(
    added.add(tree, { dev: true }).map(({ path }) => path),
    [join(tree, "skills/a"), join(tree, "skills/b")],
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(
    new AddedSkills({ file, home }).list().map(({ path, dev }) => [path, dev]),
    [
      [one, false],
      [words, false],
      [join(tree, "skills/a"), true],
      [join(tree, "skills/b"), true],
    ],
  );
  added.add(one, { dev: true });
  assert.deepEqual(added.list().at(-1), { path: one, dev: true });
  assert.equal(added.list().length, 4);
  assert.equal(added.remove(one), true);
  assert.equal(added.remove(one), false);
  assert.ok(existsSync(join(one, "skill.yaml")), "the files stay");

  assert.throws(() => added.add(join(folder.path, "gone"), { dev: false }), { code: "NOT_FOUND" });
  assert.throws(() => added.add(join(one, "skill.yaml"), { dev: false }), {
    code: "BAD_INPUT",
    hint: "Name the folder it is in.",
  });
  assert.throws(() => added.add(folder.path, { dev: false }), { message: /Deputy's own home is in it/ });
  const empty = join(folder.path, "empty");
  mkdirSync(empty);
  assert.throws(() => added.add(empty, { dev: false }), { message: /there is no skill in it/ });

  writeFileSync(file, "{broken");
  assert.deepEqual(added.list(), []);
  assert.throws(() => added.add(one, { dev: false }), { code: "BAD_CONFIG" });
  assert.equal(readFileSync(file, "utf8"), "{broken");
});

test("Keys nobody knows cost the owner's own skill, and in somebody else's folder are passed over with a word", async () => {
  using folder = temporaryFolder("lenient");
  const yaml =
    "id: odd\nname: Odd\nwebsite: odd.test\nmood: good\noperations:\n  op: { rest: { url: /x, retries: 3 } }\n";
  const path = writeSkill(join(folder.path, "odd"), { "skill.yaml": yaml });
  const parts = { bundled: join(folder.path, "none"), home: join(folder.path, "none"), expressions };
  const foreign = new SkillLibrary({ ...parts, added: () => [{ path, dev: false }] });
  const { skill, problems } = (await foreign.entry("odd")) ?? {};
  assert.deepEqual([skill?.operations.size, skill?.ancestor, skill?.website], [1, true, "https://odd.test"]);
  assert.deepEqual(
    problems?.map(({ severity, line }) => [severity, line]),
    [
      ["warning", 4],
      ["warning", 6],
    ],
  );
  const own = new SkillLibrary({ ...parts, added: () => [{ path, dev: true }] });
  assert.equal((await own.entry("odd"))?.skill, undefined);
});
