import assert from "node:assert/strict";
import { test } from "node:test";
import { TestSkill } from "../../../test/support/test-skill.ts";

const ANSWER = {
  data: {
    items: [
      { id: 1, n: "a" },
      { id: 2, n: null },
    ],
    "a/b": { x: [10, 20] },
  },
  one: { id: 3 },
  words: ["x", "y"],
  none: null,
};

const CASES: [name: string, response: object, result: unknown][] = [
  ["nothing at all", {}, ANSWER],
  ["root with dots", { root: ".data.items[1].id" }, 2],
  ["root as a pointer", { root: "/data/a~1b/x/1" }, 20],
  ["root that is not there", { root: "data.nope.deeper" }, null],
  ["root through what is inherited", { root: "constructor.name" }, null],
  ["transform after root", { root: "data", transform: ".items | map(.id)" }, [1, 2]],
  ["mapping of one", { root: "one", mapping: { k: ".id + 1", fixed: "text" } }, { k: 4, fixed: "text" }],
  [
    "mapping of each",
    { root: "data.items", mapping: { k: ".id", name: '.n // "?"' } },
    [
      { k: 1, name: "a" },
      { k: 2, name: "?" },
    ],
  ],
  ["mapping of nothing", { root: "none", mapping: { k: ".id" } }, null],
  [
    "static and inject on each, the later over the earlier",
    {
      root: "data.items",
      mapping: { id: ".id" },
      static: { id: 0, kind: "task" },
      inject: { kind: ".params.kind", from: ".connection.id" },
    },
    [
      { id: 0, kind: "given", from: null },
      { id: 0, kind: "given", from: null },
    ],
  ],
  ["static where there is nothing", { root: "none", static: { ok: true } }, { ok: true }],
  ["static text is no expression", { root: "one", static: { q: ".id" } }, { id: 3, q: ".id" }],
  ["static on words", { root: "words", static: { ok: true } }, ["x", "y"]],
];

test("a response is root, transform, mapping, static and inject, in this order", async (t) => {
  const python = { module: "./x.py", function: "x" };
  const operations = Object.fromEntries(CASES.map(([, response], at) => [`op${at}`, { python, response }]));
  await using skill = await TestSkill.load({ operations });
  for (const [at, [name, , result]] of CASES.entries()) {
    await t.test(name, async () => {
      const runCode = () => Promise.resolve(ANSWER);
      assert.deepEqual(await skill.run(`op${at}`, { params: { kind: "given" }, runCode }), result);
    });
  }
  assert.equal(skill.warnings.length, 1);
  assert.match(skill.warnings[0] ?? "", /static and response\.inject are for records/);
});
