import { ADA, hasNotesOf, type Scene } from "../scene.ts";
import { NOTHING } from "../stage.ts";

const ISOLATION = {
  full: "its code ran in a jail: no network, no files but its own, no environment",
  reduced: "its code ran behind the fences of Node alone: this system offers no jail",
  none: "its code ran without a fence",
} as const;

interface Answer {
  readonly meta: { readonly isolation: keyof typeof ISOLATION };
}

/** A skill acts as the person, and holds nothing. */
export async function runSkill({ stage, site, machine }: Scene): Promise<void> {
  stage.chapter(
    "A skill acts as you",
    "A skill is code an agent runs for you. It gets to use a login, never to hold it, and only if you say so.",
  );
  const before = site.calls.length;
  await stage.command(machine, ["run", "notes", "list"], { status: 4 });
  stage.expect(site.calls.length === before, "not allowed yet, it did not get to the site at all");
  await stage.command(machine, ["grants", "add", "--skill", "notes", "--identity", ADA], { show: NOTHING });
  const run = ["run", "notes", "list", "--json"];
  const { stdout } = await stage.command(machine, run, { show: /"text".*engine|"isolation"/ });
  stage.expect(hasNotesOf("ada", stdout), "allowed, it read Ada's notes as Ada");
  const { isolation } = (JSON.parse(stdout) as Answer).meta;
  stage.expect(isolation !== "none", ISOLATION[isolation]);
  if (isolation === "reduced")
    stage.skip("the jail around a skill's code", "bubblewrap is not here or may not be used");
}
