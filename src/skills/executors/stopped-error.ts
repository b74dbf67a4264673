import { DeputyError } from "../../kernel/index.ts";
import type { JailExit } from "../../platform/index.ts";
import { oneLine } from "./service-answer.ts";

const LESS = "Ask for less at once. Nothing else of Deputy was touched.";

/** Why a jailed process did not come to its own end, for whoever started it. */
export function stoppedError(what: string, { stopped, status, signal, said }: JailExit): DeputyError {
  switch (stopped) {
    case "wall":
      return new DeputyError("TIMEOUT", `${what} took too long`, {
        hint: "Ask for less at once. Its author may give it longer: timeout, in the manifest.",
      });
    case "memory":
      return new DeputyError("TOO_LARGE", `${what} took more memory than it may`, { hint: LESS });
    case "processes":
      return new DeputyError("TOO_LARGE", `${what} started more processes than it may`, { hint: LESS });
    case "output":
      return new DeputyError("TOO_LARGE", `${what} printed more than it may`, { hint: LESS });
    case "cancelled":
      return new DeputyError("CANCELLED", `${what} was cancelled`);
    case null: {
      const how = signal === null ? `ended with status ${status}` : `was ended by ${signal}`;
      const last = oneLine(said.trim().split("\n").slice(-3).join(" "));
      return new DeputyError("SKILL_FAILED", `${what} ${how}${last === "" ? "" : `: ${last}`}`, {
        hint: last === "" ? "It did not say why." : "These are the program's own words.",
      });
    }
  }
}
