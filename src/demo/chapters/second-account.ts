import { GRACE, hasNotesOf, type Scene } from "../scene.ts";
import { REASON } from "../stage.ts";

/** Two accounts of one site are never mixed up. */
export async function secondAccount({ stage, machine, browser }: Scene): Promise<void> {
  stage.chapter(
    "A second account stays separate",
    "You have two accounts at one site, and the wrong one must never be used.",
  );
  if (browser === undefined) return;
  stage.screen.doing("the browser signs in with another profile");
  await browser.signIn("grace", "Work");
  stage.screen.idle();
  stage.say("Grace signs in at the same site, in the browser's other profile: Work.");
  await stage.command(machine, ["login", "notes", "--provider", `${browser.id}:Work`]);
  await stage.ask(machine, ["grants", "add", "--skill", "notes", "--identity", GRACE]);
  await stage.command(machine, ["run", "notes", "list"], { status: 2, show: REASON });
  const seen = [];
  for (const account of ["ada", "grace"] as const) {
    const run = ["run", "notes", "list", "--account", account];
    seen.push(hasNotesOf(account, (await stage.command(machine, run, { show: /-1/ })).stdout));
  }
  stage.expect(seen.every(Boolean), "Deputy does not guess, and each call sees its own account's notes only");
}
