import { DeputyError, type ErrorCode } from "../../kernel/index.ts";
import { isObject } from "../executors/evaluate.ts";
import { oneLine } from "../executors/service-answer.ts";
import type { Execution } from "./execution.ts";

/** How skills say that a login is missing or over, however they spell it. */
export function neededBy(code: string): ErrorCode | undefined {
  switch (code.replaceAll(/[^A-Za-z]/g, "").toLowerCase()) {
    case "needscredentials":
    case "needslogin":
      return "LOGIN_NEEDED";
    case "needsrelogin":
    case "sessionexpired":
      return "SESSION_EXPIRED";
    default:
      return undefined;
  }
}

/** Some give such an error back as a result: it is one all the same. */
export function requireNoneNeeded(data: unknown, { skill, operation }: Execution): void {
  if (!isObject(data) || typeof data["error"] !== "string") return;
  const said = data["code"] ?? data["error_code"];
  const code = typeof said === "string" ? neededBy(said) : undefined;
  if (code !== undefined)
    throw new DeputyError(code, `${skill.id} ${operation.name}: ${oneLine(data["error"])}`);
}
