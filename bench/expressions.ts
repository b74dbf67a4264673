/**
 * What an expression costs: a request template of 12 expressions for jq as one program beside the same expressions one by
 * one, and 12 plain paths, which do not enter jq, beside both. Target: one program at most half of one by one.
 */
import { createExpressions, type Program } from "../src/expressions/index.ts";

const ROUNDS = 7;
const TURNS = 40;
const TARGET = 0.5;
const scope = { where: { skill: "bench" }, roots: ["params", "auth"] };
const template = {
  url: '"/items/" + (.params.id | tojson)',
  authorization: '"Bearer " + (.auth.key | @base64)',
  limit: "[.params.limit // 20, 100] | min",
  q: '.params.query | ltrimstr("Some ")',
  tags: '.params.tags | sort | join(",")',
  since: ".params.since | todate",
  first: "first(.params.tags[] | select(length > 1))",
  slug: '.params.query | gsub("[^a-z]+"; "-")',
  page: "(.params.page // 1) - 1",
  names: ".params.people | map(.name) | unique",
  basic: '"u:\\(.auth.key)" | @base64',
  filter: "{kind: .params.kind} + {open: (.params.open == true)}",
};
const paths = Object.fromEntries(Object.keys(template).map((key) => [key, `.params.${key}`]));
const input = {
  params: {
    id: 7,
    query: "Some words",
    tags: ["a", "bc"],
    since: 1.7e9,
    people: [{ name: "Ada" }],
    kind: "x",
  },
  auth: { key: "k" },
};

await using expressions = createExpressions({ limits: { milliseconds: 10_000 } });
const whole = await expressions.compile(template, scope);
const single = await Promise.all(Object.values(template).map((text) => expressions.compile(text, scope)));
const plain = await expressions.compile(paths, scope);

const contenders: Record<string, readonly Program[]> = {
  "one program": [whole],
  "one by one": single,
  paths: [plain],
};
const best: Record<string, number> = {};
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, programs] of Object.entries(contenders)) {
    const started = performance.now();
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const program of programs) await expressions.run(program, input);
    }
    best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, (performance.now() - started) / TURNS);
  }
}
for (const [name, milliseconds] of Object.entries(best)) {
  console.log(`  12 fields, ${name}: ${milliseconds.toFixed(3)} ms`);
}
const ratio = best["one program"]! / best["one by one"]!;
console.log(`  one program / one by one: ${ratio.toFixed(2)} (target ${TARGET})`);
process.exitCode = ratio <= TARGET ? 0 : 1;
