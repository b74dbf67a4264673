import { ATTACKER } from "./attacker.ts";
import { notesSkill } from "./demo-skills.ts";
import type { Machine } from "./machine.ts";
import { SITE, type NotesSite } from "./notes-site.ts";

/** Both names lead to this machine. The attacker's too, so that nothing fails only because a name is unknown. */
export function prepareHome(machine: Machine, site: NotesSite): void {
  machine.write("config.yaml", `resolve: { ${SITE}: 127.0.0.1, ${ATTACKER}: 127.0.0.1 }\n`);
  for (const [path, text] of Object.entries(notesSkill(site.url("")))) machine.write(path, text);
}
