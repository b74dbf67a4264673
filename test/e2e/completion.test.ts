/** Completions in the real shells: what they offer, and that pressing Tab starts nothing, asks nothing and runs nobody's code. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { findProgram, homePaths, readEnvironment } from "../../src/platform/index.ts";
import { TestHome } from "../support/deputy.ts";

/** Folders anybody may have named, with a skill in each: as a command each would leave the file `pwned`. */
const HOSTILE = ["zz$(touch pwned)", "zz`touch pwned`", "zz;touch pwned", "zz'\"\\ *", "zz\ntouch pwned"];
/** A line break is no part of a name that can be typed. */
const OFFERED = HOSTILE.filter((name) => !name.includes("\n")).sort();

const home = new TestHome();
const scripts = join(home.root, "scripts");

before(async () => {
  for (const name of HOSTILE) {
    mkdirSync(join(home.home, "skills", name), { recursive: true });
    writeFileSync(join(home.home, "skills", name, "readme.md"), "# Instructions\n");
  }
  mkdirSync(scripts);
  // The shells ask a deputy that repeats what the real one has said: one process less for every Tab.
  const repeat = `#!/bin/sh\n[ "$1 $2" = "completion values" ] && cat "./said.$3.$4" 2>/dev/null\n`;
  writeFileSync(join(scripts, "deputy"), repeat, { mode: 0o755 });
  for (const asked of [["skills"], ["operations", "hackernews"], ["shapes"]]) {
    const { stdout } = await home.ok(["completion", "values", ...asked]);
    writeFileSync(join(scripts, `said.${asked[0]}.${asked[1] ?? ""}`), stdout);
  }
  for (const [shell, file] of [
    ["bash", "deputy.bash"],
    ["zsh", "_deputy"],
    ["fish", "deputy.fish"],
  ] as const)
    writeFileSync(join(scripts, file), (await home.ok(["completion", shell])).stdout);
});
after(() => home[Symbol.asyncDispose]());

/** What each line is completed to, words in the order of the alphabet. */
const LINES: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["deputy va", ["vault"]],
  ["deputy engine ", ["start", "status", "stop"]],
  ["deputy vault set --ty", ["--type"]],
  ["deputy vault rekey --key ", ["file", "keyring", "passphrase"]],
  ["deputy run hackern", ["hackernews"]],
  ["deputy run --account joe hackernews list", ["list_stories"]],
  ["deputy session act s1 sc", ["screenshot", "scroll"]],
  ["deputy skills validate exa githu", ["github"]],
  ["deputy graph list webp", ["webpage"]],
  ["deputy completion ", ["bash", "fish", "zsh"]],
  ["deputy help compl", ["completion"]],
  ["deputy skills show zz", OFFERED],
];

function shell(t: TestContext, name: string, args: readonly string[], script: string): string | undefined {
  const program = findProgram(name, readEnvironment());
  if (program === undefined) {
    t.skip(`${name} is not installed`);
    return undefined;
  }
  writeFileSync(join(scripts, `try.${name}`), script);
  const ran = spawnSync(program, [...args, join(scripts, `try.${name}`)], {
    cwd: scripts,
    env: home.environment({ PATH: `${scripts}${delimiter}${process.env["PATH"]}`, ZDOTDIR: scripts }),
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(ran.stderr, "");
  assert.equal(ran.status, 0, ran.stdout);
  assert.ok(!existsSync(join(scripts, "pwned")), "a name was run");
  assert.ok(!existsSync(join(home.home, "run")), "an engine was started");
  return ran.stdout;
}

/** Answers as `line NUL word NUL … NUL NUL`. */
function answersIn(output: string): Map<string, string[]> {
  const parts = output.split("\0\0").map((part) => part.split("\0"));
  return new Map(parts.map(([line = "", ...words]) => [line, words.sort()]));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

test("bash completes words, options, values and names, and what it inserts is the name", (t) => {
  const tries = LINES.map(([line]) => `try ${quoted(line)} ${line.split(" ").map(quoted).join(" ")}`);
  const script = `source ./deputy.bash
    try() {
      printf '%s\\0' "$1"; shift
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _deputy deputy
      # As the shell reads a line into which they were inserted.
      for word in "\${COMPREPLY[@]}"; do eval "printf '%s\\0' $word"; done
      printf '\\0'
    }
    ${tries.join("\n")}`;
  const output = shell(t, "bash", ["--norc"], script);
  if (output === undefined) return;
  const answers = answersIn(output);
  for (const [line, offered] of LINES) assert.deepEqual(answers.get(line), [...offered], line);
});

test("bash breaks words at = and :, and the completion joins them", (t) => {
  const script = `source ./deputy.bash
    try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _deputy deputy; echo "\${COMPREPLY[*]}"; }
    try deputy setup --key = pa
    try deputy setup --key =
    try deputy run -p a = b --params {} hackernews get_
    try deputy cookies --url https : //a --format net
    try deputy run -p query =`;
  const output = shell(t, "bash", ["--norc"], script);
  if (output === undefined) return;
  assert.deepEqual(output.split("\n").slice(0, 5), [
    "passphrase",
    "keyring passphrase file",
    "get_story get_user",
    "netscape",
    "",
  ]);
});

test("fish completes the same", (t) => {
  const tries = LINES.map(([line]) => {
    const words = `(complete -C ${quoted(line)} | string replace -r '\\t.*' '')`;
    return `printf '%s\\0' ${quoted(line)} ${words}; printf '\\0'`;
  });
  const output = shell(t, "fish", ["--no-config"], `source ./deputy.fish\n${tries.join("\n")}`);
  if (output === undefined) return;
  const answers = answersIn(output);
  for (const [line, offered] of LINES) assert.deepEqual(answers.get(line), [...offered], line);
});

/** A line, Ctrl-T, and what was offered is in the file `offered`. */
const ZSH_AT_A_TERMINAL = `PS1= PS2= RPS1=
  fpath=($PWD $fpath)
  autoload -U compinit && compinit -u -D
  compadd() {
    if [[ \${@[1,(i)(-|--)]} != *-(O|A|D)[[:space:]]* ]]; then
      local -a found
      builtin compadd -O found "$@"
      (( $#found )) && print -rN -- "\${(@)found}" >>found
    fi
    builtin compadd "$@"
  }
  offer() {
    zle complete-word
    touch found
    mv found offered
    zle kill-whole-line
  }
  zle -N offer
  bindkey '^T' offer
  touch ready
`;

test("zsh completes the same", (t) => {
  writeFileSync(join(scripts, "terminal.zsh"), ZSH_AT_A_TERMINAL);
  // A shell within the shell, on a terminal of its own: zsh completes nowhere else.
  const script = `zmodload zsh/zpty
    zpty inner zsh -f -i
    await() {
      repeat 400; do
        [[ -e $1 ]] && break
        while zpty -rt inner shown; do :; done
        sleep 0.05
      done
    }
    ask() {
      zpty -wn inner "$1"$'\x14'
      await offered
      print -rN -- "$1"
      [[ -e offered ]] && cat offered
      print -N -- ''
      rm -f offered
    }
    zpty -w inner 'source ./terminal.zsh'
    await ready
    ${LINES.map(([line]) => `ask ${quoted(line)}`).join("\n")}
    zpty -d inner`;
  const output = shell(t, "zsh", ["-f"], script);
  if (output === undefined) return;
  const answers = answersIn(output);
  for (const [line, offered] of LINES)
    assert.deepEqual([...new Set(answers.get(line))].sort(), [...offered], line);
});

test("a running engine is asked, and one that does not answer is not waited for", async () => {
  await using running = new TestHome();
  await running.ok(["engine", "start"]);
  const known = await running.ok(["completion", "values", "skills"]);
  assert.ok(known.stdout.split("\n").includes("hackernews"));
  await running.stopEngine();

  const { socket, run } = homePaths({ DEPUTY_HOME: running.home });
  assert.ok(existsSync(run));
  const silent = createServer((connection) => connection.unref()).listen(socket);
  const began = Date.now();
  const read = await running.ok(["completion", "values", "operations", "hackernews"]);
  assert.match(read.stdout, /^list_stories$/m);
  assert.ok(Date.now() - began < 15_000, "it waited for an answer");
  assert.deepEqual((await running.ok(["completion", "values", "sessions"])).stdout, "");
  assert.deepEqual((await running.ok(["completion", "values", "nonsense"])).stdout, "");
  silent.close();
});

test("nothing of all this is left in the home", () => {
  assert.deepEqual(
    readdirSync(home.home).filter((name) => name !== "cache"),
    ["skills"],
  );
});
