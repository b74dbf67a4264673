import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeputyError } from "../kernel/index.ts";
import { readEnvironment } from "../platform/index.ts";
import { Attacker } from "./attacker.ts";
import { browserSessions } from "./chapters/browser-sessions.ts";
import { deliver } from "./chapters/deliver.ts";
import { findLogin } from "./chapters/find-login.ts";
import { hostileSkill } from "./chapters/hostile-skill.ts";
import { mcp } from "./chapters/mcp.ts";
import { rotateToken } from "./chapters/rotate-token.ts";
import { runSkill } from "./chapters/run-skill.ts";
import { secondAccount } from "./chapters/second-account.ts";
import { findSecrets } from "./find-secrets.ts";
import { Interruption } from "./interruption.ts";
import { Machine } from "./machine.ts";
import { NotesSite } from "./notes-site.ts";
import { prepareHome } from "./prepare-home.ts";
import { Programs } from "./programs.ts";
import type { Scene } from "./scene.ts";
import { Screen } from "./screen.ts";
import { type Chapter, Stage } from "./stage.ts";

const CHAPTERS = [
  findLogin,
  runSkill,
  rotateToken,
  secondAccount,
  hostileSkill,
  browserSessions,
  deliver,
  mcp,
] as const;

/** What was shown, for a program that asks. */
export interface Shown {
  /** Every claim held, and nothing ended it early. */
  readonly ok: boolean;
  readonly claims: number;
  readonly held: number;
  readonly seconds: number;
  /** The exit status of a demonstration that was cut short; null: it was not. */
  readonly interrupted: number | null;
  readonly chapters: readonly Chapter[];
  readonly skipped: readonly { readonly what: string; readonly why: string }[];
  /** Where it all happened: gone again. */
  readonly folder: string;
}

/** Shows what Deputy does, from an empty home to nothing at all. */
export async function runDemo({ silent = false } = {}): Promise<Shown> {
  using interruption = new Interruption();
  using screen = new Screen(silent ? undefined : process.stdout, readEnvironment());
  const stage = new Stage(screen);
  const root = realpathSync(mkdtempSync(join(tmpdir(), "deputy-demo-")));
  const programs = new Programs(interruption.signal);
  const machine = new Machine("laptop", root, programs);
  const server = new Machine("server", root, programs);
  screen.line(screen.paint("bold", "Deputy, shown on a site of its own"));
  let secrets: readonly string[] = [];
  try {
    await using site = await NotesSite.open();
    await using attacker = await Attacker.open();
    secrets = site.tokens;
    stage.say(`The site is ${site.url()}, all files are in ${root}:`);
    stage.say("no account, no internet, and nothing of yours is read or changed.");
    prepareHome(machine, site);
    const scene: Scene = { stage, site, attacker, programs, machine, server, browser: undefined };
    for (const play of CHAPTERS) await play(scene);
  } catch (error) {
    if (stage.chapters.length === 0) stage.chapter("A site to show it on");
    if (!interruption.signal.aborted) stage.expect(false, `it went on to the end: ${wordsOf(error)}`);
  }
  screen.doing("cleaning up");
  const clean = await cleanUp(root, programs, [machine, server]);
  screen.idle();
  return close(stage, { root, clean, secrets, interrupted: interruption.status });
}

/** Everything that was started is ended and everything that was made removed, whatever happened before. */
async function cleanUp(root: string, programs: Programs, machines: readonly Machine[]): Promise<boolean> {
  await programs[Symbol.asyncDispose]();
  await using last = new Programs(new AbortController().signal);
  const stopped = await Promise.allSettled(machines.map((machine) => machine.stop(last)));
  try {
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  } catch {} // seen below
  return stopped.every((one) => one.status === "fulfilled" && one.value) && !existsSync(root);
}

function close(
  stage: Stage,
  end: { root: string; clean: boolean; secrets: readonly string[]; interrupted: number | null },
): Shown {
  const { screen, skipped } = stage;
  stage.chapter("What is left");
  const found = findSecrets(stage.said, end.secrets);
  stage.expect(
    found.length === 0,
    `no command printed any of the ${end.secrets.length} tokens the site gave out, nor did MCP`,
  );
  stage.expect(
    end.clean,
    "engines, browsers and the site are ended, and their folder is removed: nothing is left behind",
  );
  const claims = stage.chapters.flatMap((chapter) => chapter.claims);
  const held = claims.filter(({ ok }) => ok).length;
  const shown = {
    ok: held === claims.length && end.interrupted === null,
    claims: claims.length,
    held,
    seconds: screen.seconds,
    interrupted: end.interrupted,
    chapters: stage.chapters,
    skipped,
    folder: end.root,
  };
  screen.line();
  if (end.interrupted !== null) screen.line("It was interrupted before its end.");
  const words = `${held} of ${claims.length} claims held, in ${Math.round(shown.seconds)} seconds.`;
  screen.line(screen.paint(shown.ok ? "green" : "red", words));
  for (const { claim, ok } of claims) if (!ok) screen.line(`Not so: ${claim}`);
  for (const { what, why } of skipped) screen.line(`Left out: ${what}, because ${why}.`);
  if (shown.ok) screen.line("With your own logins: deputy setup (from a clone: node bin/deputy setup)");
  return shown;
}

function wordsOf(error: unknown): string {
  if (error instanceof DeputyError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
