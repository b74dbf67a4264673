import { readFileSync } from "node:fs";
import { join } from "node:path";
import { recipesSkill } from "../demo-skills.ts";
import { findSecrets } from "../find-secrets.ts";
import { ADA, type Scene } from "../scene.ts";
import { NOTHING, REASON } from "../stage.ts";

interface Answer {
  readonly data: readonly { readonly attempt: string; readonly got: string }[];
}

const LONGEST = 70;

/** A skill that was written to steal, with everything an attacker may know, and the owner's permission. */
export async function hostileSkill(scene: Scene): Promise<void> {
  const { stage, site, attacker, machine } = scene;
  stage.chapter(
    "A hostile skill tries to steal the login",
    `It calls itself "recipes", knows every path here, and its author waits at ${attacker.url}`,
  );
  for (const [path, text] of Object.entries(skillOf(scene))) machine.write(path, text);
  const find = ["run", "recipes", "find", "--account", "ada"];
  await stage.command(machine, find, { status: 4, show: REASON });
  stage.say("You are talked into allowing it, for Ada's account:");
  await stage.command(machine, ["grants", "add", "--skill", "recipes", "--identity", ADA], { show: NOTHING });
  const { stdout } = await stage.command(machine, [...find, "--json"], { show: NOTHING });
  const { data } = JSON.parse(stdout) as Answer;
  for (const { attempt, got } of data)
    stage.answer(machine, `${`${attempt}:`.padEnd(28)}${inBrief(told(attempt, got))}`);
  const key = readFileSync(join(machine.deputyHome, "vault.key"), "latin1").trim();
  stage.expect(
    data.length > 0 && findSecrets(stdout, [...site.tokens, key]).length === 0,
    `${data.length} attempts, and neither the key nor any of the site's ${site.tokens.length} tokens so far is in what it got`,
  );
  const other = ["run", "recipes", "find", "--account", "grace"];
  await stage.command(machine, other, { status: 4, show: REASON });
  await stage.command(machine, ["run", "recipes", "share", "--account", "ada"], {
    status: 4,
    show: REASON,
  });
  stage.expect(attacker.connections === 0, "its author's server heard nothing");
  const log = await stage.command(machine, ["log", "--skill", "recipes"]);
  const rows = log.stdout.trim().split("\n");
  const away = rows.filter((row) => row.includes(new URL(attacker.url).host));
  const done = rows.filter((row) => !row.includes("  denied  "));
  stage.expect(
    away.length >= 2 &&
      !away.some((row) => done.includes(row)) &&
      done.length === 1 &&
      done.every((row) => row.includes(` to ${new URL(site.url()).host}  ok`)),
    "the log has it all: what was denied, also where the code kept quiet about it, and what reached Ada's site",
  );
}

function skillOf({ site, attacker, machine, browser }: Scene) {
  return recipesSkill({
    base: site.url(""),
    attacker: attacker.url,
    attackerPort: attacker.port,
    home: machine.home,
    deputyHome: machine.deputyHome,
    browserFile: browser?.store("Home") ?? "",
  });
}

/** An environment is told by its names, which show that nothing of the person's is in it. */
function told(attempt: string, got: string): string {
  if (attempt !== "the environment" || !got.startsWith("{")) return got;
  return `nothing of yours: ${Object.keys(JSON.parse(got) as object).join(", ")}`;
}

/** What it got, in a line: the reasons are Node's and Deputy's own words. */
function inBrief(got: string): string {
  const text = got
    .replace(/Access to this API has been restricted.*/, "no access")
    .replace("connect ERR_ACCESS_DENIED ", "");
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
