import { foreignCheck, foreignHosts } from "../../auth/index.ts";
import type { Skill } from "../skill.ts";
import type { Findings } from "./findings.ts";

/** Whether each login stays with the service whose domain it is kept under. */
export function checkLogins(findings: Findings, skill: Skill): void {
  for (const [name, connection] of skill.connections) {
    if (connection.auth === null) continue;
    const path = ["connections", name];
    const { domain } = connection;
    const check = foreignCheck(connection);
    if (check !== undefined) {
      const message = `would send the login of ${domain} to ${check} to check it`;
      const hint = `A check asks ${domain} itself. Leave it out, or keep the login under another \`domain\`.`;
      findings.add("error", [...path, "auth", "check"], message, hint);
    }
    const others = foreignHosts(connection).filter((host) => host !== check);
    if (others.length > 0) {
      const hint = "Whoever allows the skill is told so. Commands that name only the domain do not use it.";
      findings.add("warning", path, `sends the login of ${domain} to ${others.join(", ")}`, hint);
    }
  }
}
