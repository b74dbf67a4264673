import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { TestHome } from "../support/deputy.ts";
import { writeSkill } from "../support/skill-folder.ts";

const skill = (id: string, extra = "") => `id: ${id}
name: The ${id}
description: For tests
connections: { api: { base_url: "https://api.${id}.test", auth: { type: api_key, header: { k: .auth.key } } } }
operations:
  find: { description: Finds, returns: "webpage[]", params: { q: { type: string, required: true } }, rest: { url: /find, query: { q: .params.q } } }
${extra}`;

test("deputy skills list says what is ready, what needs a login, and what is broken and why", async () => {
  await using home = new TestHome();
  writeSkill(join(home.home, "skills/shop"), { "skill.yaml": skill("shop"), "readme.md": "x" });
  writeSkill(join(home.home, "skills/words"), { "readme.md": "# How we write\n\nShort sentences." });
  writeSkill(join(home.home, "skills/wrong"), { "skill.yaml": skill("wrong").replace("rest:", "rset:") });
  const list = async () => {
    const rows = (await home.ok(["skills", "list", "--json"])).json() as any[];
    return Object.fromEntries(rows.map((row) => [row.id, row]));
  };
  // Without a vault there are no logins, and that is no error.
  let rows = await list();
  assert.equal(rows.exa.status, "needs-login");
  assert.equal(rows.shop.status, "needs-login");
  assert.equal(rows.shop.reason, "no login at shop.test");
  assert.deepEqual(rows.shop.operations, ["find"]);
  assert.equal(rows.shop.name, "The shop");
  assert.deepEqual([rows.words.status, rows.words.operations, rows.words.reason], ["ready", [], undefined]);
  assert.equal(rows.wrong.status, "broken");
  assert.match(rows.wrong.reason, /^skill.yaml:6:\d+: operations.find has no key "rset"$/);

  await home.ok(["setup", "--key", "file", "--yes", "--json"]);
  await home.set("shop.test", "joe", "api_key", { key: "canary-0123456789" });
  rows = await list();
  assert.equal(rows.shop.status, "ready");
  assert.equal(rows.exa.status, "needs-login");

  const words = (await home.ok(["skills", "list"])).stdout;
  assert.match(words, /^shop +ready +1 +For tests \(yours\)$/m);
  assert.match(words, /^exa +needs login +\d+ +Searches the web.*; no login at exa.ai: deputy login exa$/m);
  assert.match(words, /^wrong +broken +skill.yaml:6:\d+: /m);
  assert.match(words, /^words +ready +instructions +Short sentences\. \(yours\)$/m);
  assert.doesNotMatch(words, /canary/);
});

test("deputy skills show, add, remove: an added skill stands before others and its files stay", async () => {
  await using home = new TestHome();
  const folder = writeSkill(join(home.root, "mine"), { "skill.yaml": skill("exa"), "readme.md": "x" });
  const added = (await home.ok(["skills", "add", folder, "--dev", "--json"])).json();
  assert.deepEqual([added.added[0].id, added.added[0].dev, added.added[0].shadows.length], ["exa", true, 1]);
  assert.equal(statSync(join(home.home, "skills.json")).mode & 0o777, 0o600);

  let shown = (await home.ok(["skills", "show", "exa", "--json"])).json();
  assert.deepEqual([shown.origin, shown.folder, shown.tools.length], ["added", folder, 1]);
  assert.match(shown.pin, /^sha256:[0-9a-f]{64}$/);
  writeFileSync(
    join(folder, "skill.yaml"),
    skill("exa", "  more: { description: More, rest: { url: /more } }\n"),
  );
  shown = (await home.ok(["skills", "show", "exa", "--json"])).json();
  assert.equal(shown.tools.length, 2, "a changed file is seen at once");
  const words = (await home.ok(["skills", "show", "exa"])).stdout;
  assert.match(words, /^find q: Finds$/m);
  assert.match(words, /api: api_key of exa.test at https:\/\/api.exa.test\//);

  const removed = (await home.ok(["skills", "remove", "exa", "--json"])).json();
  assert.deepEqual([removed.removed, removed.now], ["exa", "bundled"]);
  assert.ok(existsSync(join(folder, "skill.yaml")));
  assert.equal((await home.ok(["skills", "show", "exa", "--json"])).json().origin, "bundled");
  const again = await home.run(["skills", "remove", "exa", "--json"]);
  assert.deepEqual([again.status, again.json().error.code], [2, "BAD_INPUT"]);
  const unknown = await home.run(["skills", "show", "exb", "--json"]);
  assert.deepEqual([unknown.status, unknown.json().error.hint], [1, "Did you mean exa?"]);
  const nowhere = await home.run(["skills", "add", join(home.root, "gone"), "--json"]);
  assert.deepEqual([nowhere.status, nowhere.json().error.code], [1, "NOT_FOUND"]);
});

test("deputy skills validate checks ids, folders anywhere, and everything; it fails where something is wrong", async () => {
  await using home = new TestHome();
  const all = (await home.ok(["skills", "validate", "--json"])).json();
  assert.equal(all.ok, true, "every bundled skill is valid");
  assert.ok(all.skills.some(({ id }: any) => id === "exa"));
  for (const { id, errors, warnings } of all.skills) {
    // Google's services are at another domain than its logins, and that is worth saying.
    const known = /^sends the login of google\.com to [a-z.]+\.googleapis\.com$/;
    const others = warnings.filter(({ message }: any) => !known.test(message));
    assert.deepEqual([id, errors, others], [id, [], []]);
  }

  const bad = writeSkill(join(home.root, "bad"), {
    "skill.yaml": skill("bad").replace("webpage[]", "webpge[]"),
    "readme.md": "x",
  });
  const found = await home.run(["skills", "validate", bad, "exa", "--json"]);
  assert.equal(found.status, 1);
  assert.deepEqual(
    found.json().skills.map(({ id, errors }: any) => [id, errors.length]),
    [
      ["bad", 1],
      ["exa", 0],
    ],
  );
  assert.deepEqual(found.json().skills[0].errors[0], {
    message: "there is no shape webpge",
    hint: "Did you mean webpage?",
    file: "skill.yaml",
    line: 6,
    column: 40,
  });
  const words = await home.run(["skills", "validate", bad]);
  assert.match(
    words.stdout,
    /^bad: 1 error\n {2}error {2}skill.yaml:6:40: there is no shape webpge\n +Did you mean webpage\?$/m,
  );
  assert.equal((await home.run(["skills", "validate", "nope", "--json"])).json().error.code, "NOT_FOUND");
});

test("deputy skills new makes both kinds, valid and green as they are, and never over something", async () => {
  await using home = new TestHome();
  for (const options of [["one"], ["two", "--local"], ["three", "--folder", join(home.root, "three")]]) {
    const made = (await home.ok(["skills", "new", ...options, "--json"])).json();
    assert.ok(made.files.includes("skill.yaml") && existsSync(join(made.folder, "readme.md")));
    const checked = (await home.ok(["skills", "validate", made.folder, "--json"])).json();
    assert.deepEqual(checked, { ok: true, skills: [{ id: options[0], errors: [], warnings: [] }] });
  }
  const ids = (await home.ok(["skills", "list", "--json"])).json().map(({ id }: any) => id);
  assert.ok(ids.includes("one") && ids.includes("two") && !ids.includes("three"));
  await home.ok(["setup", "--key", "file", "--yes", "--json"]);
  for (const name of ["one", "two"]) {
    const words = (await home.ok(["skills", "test", name])).stdout;
    assert.match(words, name === "one" ? /needs a key/ : /greet/, words);
  }
  writeFileSync(join(home.home, "skills/one/skill.yaml"), "id: one\n");
  const again = await home.run(["skills", "new", "one", "--json"]);
  assert.deepEqual([again.status, again.json().error.code], [1, "CONFLICT"]);
  assert.equal(readFileSync(join(home.home, "skills/one/skill.yaml"), "utf8"), "id: one\n");
  assert.equal((await home.run(["skills", "new", "../x", "--json"])).json().error.code, "BAD_INPUT");
});

test("The package carries the bundled skills and shapes", () => {
  const root = resolve(import.meta.dirname, "../..");
  const npm = join(root, "node_modules/.bin/npm");
  const out = execFileSync(
    existsSync(npm) ? npm : "npm",
    ["pack", "--dry-run", "--json", "--ignore-scripts"],
    { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const files = JSON.parse(out)[0].files.map(({ path }: any) => path);
  for (const path of [
    "skills/exa/skill.yaml",
    "skills/exa/readme.md",
    "shapes/webpage.yaml",
    "docs/formats/skill.schema.json",
  ]) {
    assert.ok(files.includes(path), path);
  }
});
