import { isAllowed } from "./allowed-methods.ts";
import { browserRules } from "./browser-rules.ts";
import { contentRules } from "./content-rules.ts";
import { type Command, refuse, type Rule, type Scope, type Verdict } from "./scope.ts";
import { FOREIGN, namesForeign, targetRules } from "./target-rules.ts";

const rules: ReadonlyMap<string, Rule> = new Map(
  Object.entries({ ...targetRules, ...browserRules, ...contentRules }),
);

/** What is to be done with a client's command. */
export function judge(command: Command, scope: Scope): Verdict {
  const { method, params, from } = command;
  if (method === "Target.createBrowserContext")
    return refuse("This endpoint shows one session, which is one context: use the one that is there");
  if (!isAllowed(method, from.level))
    return refuse(`${method} is not served: this endpoint shows one session, not the browser`);
  if (namesForeign(command, scope)) return FOREIGN;
  return rules.get(method)?.(command, scope) ?? { kind: "forward", params };
}
