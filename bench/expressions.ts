/**
 * What an expression costs: a request template of 12 expressions for jq as one program beside the same expressions one by
 * one, and 12 plain paths, which do not enter jq, beside both. Target: one program at most half of one by one.
 */
import { createExpressions } from "../src/expressions/index.ts";
import { inTurns } from "./support/in-turns.ts";
import { report } from "./support/report.ts";

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

const times = await inTurns(
  {
    together: () => expressions.run(whole, input),
    single: async () => {
      for (const program of single) await expressions.run(program, input);
    },
    paths: () => expressions.run(plain, input),
  },
  { rounds: 280, warmUp: 20, seconds: 8 },
);

const beside = { what: "one by one", samples: times.single };
report({
  what: "12 expressions as one program",
  unit: "ms",
  ours: times.together,
  beside,
  target: { kind: "ratio at most", value: 0.5 },
});
report({ what: "12 plain paths", unit: "ms", ours: times.paths, beside });
