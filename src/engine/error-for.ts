import { type Caller, DeputyError } from "../kernel/index.ts";
import { isOwner, PERMISSIONS } from "./permissions.ts";

/** As typed at the command line. Beside what is named like its method there are those that stand for several. */
const OWNERS_COMMANDS: readonly string[] = [
  ...Object.entries(PERMISSIONS).flatMap(([method, who]) =>
    who === "owner" ? [method.replace(".", " ")] : [],
  ),
  "login",
  "pair",
  "push",
  "sink",
  "unpair",
  "mcp token",
];
const NAMES_ONE = new RegExp(`\\bdeputy (${OWNERS_COMMANDS.join("|")})\\b`);
const SAID = /terminal of (their|your) own|own terminal/;

/** The error as this caller can use it: an agent cannot do what a hint tells the owner to, and is told whom to ask. */
export function errorFor(caller: Caller, error: DeputyError): DeputyError {
  const { code, message, hint = "", remedy, cause } = error;
  if (isOwner(caller) || !NAMES_ONE.test(hint) || SAID.test(hint)) return error;
  return new DeputyError(code, message, {
    hint: `Ask your owner to do this in a terminal of their own. ${hint}`,
    remedy,
    cause,
  });
}
