import { countLine, headLines, markdownTable, type Outcome } from "./outcome.ts";

/** docs/benchmarks.md */
export function benchmarksPage(outcome: Outcome): string {
  return `# Benchmarks

\`npm run bench\` runs everything in \`bench/\`, one file after another, in under ten minutes on two cores, and ends with one
table. All traffic stays on the machine. This page holds the last table, as \`npm run bench -- --docs\` wrote it.

| command | what it does |
|---|---|
| \`npm run bench\` | all of them; the table is printed, and written to \`node_modules/.cache/deputy-bench.json\` |
| \`npm run bench -- vault sync\` | only those named |
| \`npm run bench -- --json FILE\` | writes the JSON elsewhere |
| \`npm run bench -- --strict\` | a missed target is exit status 1; otherwise only a benchmark that failed is |
| \`npm run bench -- --docs\` | writes this page |

How to read it:

- Times are medians, with the least in brackets. A target that says \`p99\` or \`least\` is held against that instead.
- Most figures have a floor or a peer beside them, measured in the same run, turn by turn: the same rows inserted bare, the
  same bytes sent bare, another program that does the same. The ratio is ours divided by that, so less is better.
- \`≤ 2×\` is a target for the ratio, \`≤ +3 ms\` for the difference, \`≤ 51 ms\` for our figure alone. The head of each file in
  \`bench/\` says what is measured and where its target comes from.
- A machine that others use makes every time longer, and the ratios less sure. The load before the run, and two fixed loads
  before and after it, tell; then the head of the table says that the machine was busy.
- What cannot be measured on a machine, for want of a browser or of Python, is a row that says why.

## The last run

${headLines(outcome)
  .map((line) => `- ${line}`)
  .join("\n")}
- ${countLine(outcome)}

${markdownTable(outcome)}
`;
}
