/**
 * A picture of a real run for the README: the command runs on a pseudo-terminal, a terminal emulator draws what it wrote, and
 * the cells become an SVG.
 *
 *   node tools/terminal-picture.ts docs/pictures/demo.svg --from 5. --to 6. deputy demo
 *
 * draws the lines from the first that begins with `--from` to the one before `--to`, or all of them.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import headless from "@xterm/headless";

const COLUMNS = 112;
const ROWS = 1000;
const [CELL_WIDTH, CELL_HEIGHT, MARGIN, TITLE_BAR] = [8.4, 18, 16, 30];
const BACKGROUND = "#16181d";
const FOREGROUND = "#d6d9e0";
/** The sixteen colours of the terminal, dark then bright. */
const PALETTE = (
  "#3b4048 #e5707a #7fc98b #e0c07a #7aa9f0 #c48be0 #63c4cf #c8ccd4 " +
  "#7a818e #f08a93 #9adca5 #ecd49a #9cc2f7 #d8abee #86d8e1 #ffffff"
).split(" ");

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { from: { type: "string" }, to: { type: "string" } },
});
const [file, ...words] = positionals;
if (file === undefined || words.length === 0)
  throw new Error("usage: terminal-picture.ts FILE.svg [--from TEXT] [--to TEXT] COMMAND…");

const lines = between(await runOnTerminal(words), values.from, values.to);
writeFileSync(file, draw(lines, words.join(" ")));
console.log(`${file}: ${lines.length} lines`);

interface Span {
  readonly column: number;
  readonly end: number;
  readonly text: string;
  readonly colour: string;
  readonly bold: boolean;
}

async function runOnTerminal(command: readonly string[]): Promise<Span[][]> {
  const launcher = resolve(import.meta.dirname, "../bin/deputy");
  const [program, ...args] = command;
  const argv = program === "deputy" ? [process.execPath, launcher, ...args] : command;
  const quoted = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const terminal = new headless.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const { CI: _ci, NO_COLOR: _plain, ...env } = process.env;
  const child = spawn("script", ["-qec", `stty cols ${COLUMNS} rows 50; exec ${quoted}`, "/dev/null"], {
    env: { ...env, TERM: "xterm-256color" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const chunk of child.stdout) {
    await new Promise<void>((done) => terminal.write(chunk as Uint8Array, done));
  }
  const buffer = terminal.buffer.active;
  const rows = Array.from({ length: buffer.length }, (_, row) => spansOf(buffer.getLine(row)));
  return withoutEnd(rows);
}

function between(all: Span[][], from: string | undefined, to: string | undefined): Span[][] {
  const begins = (text: string) => all.findIndex(([first]) => first?.text.startsWith(text) === true);
  const [start, end] = [from === undefined ? 0 : begins(from), to === undefined ? all.length : begins(to)];
  if (start < 0 || end < 0) throw new Error(`no line begins with ${start < 0 ? from : to}`);
  return withoutEnd(all.slice(start, end));
}

/** Without the empty lines it ends with. */
function withoutEnd(rows: Span[][]): Span[][] {
  return rows.slice(0, rows.findLastIndex((spans) => spans.length > 0) + 1);
}

type Line = ReturnType<InstanceType<typeof headless.Terminal>["buffer"]["active"]["getLine"]>;

/** Neighbouring cells that look alike, as one piece of text each. */
function spansOf(line: Line): Span[] {
  const spans: Span[] = [];
  for (let column = 0; column < COLUMNS; column++) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getChars().trim() === "") continue;
    const shade = cell.isDim() !== 0 ? "#8b919d" : FOREGROUND;
    const colour = cell.isFgPalette() ? (PALETTE[cell.getFgColor()] ?? shade) : shade;
    const bold = cell.isBold() !== 0;
    const last = spans.at(-1);
    const gap = last === undefined ? 0 : column - last.end;
    if (last !== undefined && gap <= 1 && last.colour === colour && last.bold === bold)
      spans[spans.length - 1] = {
        ...last,
        end: column + 1,
        text: last.text + " ".repeat(gap) + cell.getChars(),
      };
    else spans.push({ column, end: column + 1, text: cell.getChars(), colour, bold });
  }
  return spans;
}

function draw(rows: readonly Span[][], title: string): string {
  const width = Math.ceil(COLUMNS * CELL_WIDTH + 2 * MARGIN);
  const height = TITLE_BAR + rows.length * CELL_HEIGHT + MARGIN;
  const text = rows.flatMap((spans, row) =>
    spans.map(({ column, end, text: words, colour, bold }) => {
      const [x, y] = [MARGIN + column * CELL_WIDTH, TITLE_BAR + (row + 0.75) * CELL_HEIGHT];
      // The length is said, so that a font of another width keeps the columns.
      const length = (end - column) * CELL_WIDTH;
      const weight = bold ? ' font-weight="bold"' : "";
      return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${length.toFixed(1)}" fill="${colour}"${weight}>${escape(words)}</text>`;
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    ...["#e5707a", "#e0c07a", "#7fc98b"].map(
      (fill, i) => `<circle cx="${MARGIN + 4 + i * 18}" cy="16" r="5" fill="${fill}"/>`,
    ),
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve" lengthAdjust="spacingAndGlyphs">`,
    ...text,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function escape(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
