import type { Methods } from "../../engine/index.ts";
import { DeputyError, type Remedy } from "../../kernel/index.ts";
import { choose, isInteractive } from "./prompt.ts";
import type { Shell } from "./shell.ts";
import { plain } from "./table.ts";

/** A run may need a login, then a program, then a folder: each is asked for when it is met. */
const MOST_QUESTIONS = 5;

/** Calls, and asks the owner, at their own terminal, for what no grant covers yet. */
export async function withGrants<T>(shell: Shell, call: () => Promise<T>): Promise<T> {
  for (let questions = 0; ; questions++) {
    try {
      return await call();
    } catch (error) {
      const remedy = error instanceof DeputyError && error.code === "DENIED" ? error.remedy : undefined;
      if (remedy === undefined || shell.json || !isInteractive() || questions >= MOST_QUESTIONS) throw error;
      if (!(await agrees(remedy))) throw error;
      await shell.call("grants.add", remedy.grant as Methods["grants.add"]["in"]);
    }
  }
}

async function agrees({ grant, hosts, changed_code }: Remedy): Promise<boolean> {
  const { skill, identity, allow, expose } = grant as Methods["grants.add"]["in"];
  const wants = [
    ...(identity === undefined ? [] : [`use your login at ${identity}`]),
    ...(expose === true ? ["see that login itself"] : []),
    ...(allow ?? []).map((one) => `have ${one}`),
  ];
  const where = hosts.length === 0 ? "" : ` It can send it to ${hosts.join(", ")}.`;
  const changed = changed_code ? " Its code has changed since you last allowed it." : "";
  const answer = await choose(plain(`${skill} wants to ${wants.join(" and ")}.${where}${changed}`), [
    { value: "no", label: "No" },
    { value: "yes", label: "Yes", hint: "until you take it back: deputy grants list" },
  ]);
  return answer === "yes";
}
