import { DeputyError, shellWord } from "../kernel/index.ts";
import { allowancesFor } from "./allowance.ts";
import type { Denied, Missing } from "./grant-request.ts";

/** The denial as an error whose hint is the command that would allow it. Only the owner's own terminal takes it. */
export function deniedError({ reason, missing }: Denied, hosts: readonly string[] = []): DeputyError {
  const hint = missing === null ? undefined : `${whoAllows(missing)}: ${commandFor(missing)}`;
  const remedy =
    missing === null ? undefined : { grant: grantFor(missing), hosts, changed_code: missing.changedCode };
  return new DeputyError("DENIED", reason.replace(/\.$/, ""), { hint, remedy });
}

function whoAllows({ agent }: Missing): string {
  return agent === "owner" ? "Allow it" : "The owner can allow it in a terminal of their own";
}

/** As `grants.add` takes it. */
function grantFor({ agent, subject, pin, identity, needs }: Missing): Record<string, unknown> {
  const allow = allowancesFor(needs);
  const account = identity?.account == null ? "" : `/${identity.account}`;
  return {
    skill: subject,
    // What the owner is shown is what they allow: code that changes while they read is another matter.
    ...(pin === null ? {} : { pin }),
    ...(identity === null ? {} : { identity: `${identity.domain}${account}` }),
    ...(agent === "owner" ? {} : { agent }),
    ...(needs.expose === true ? { expose: true } : {}),
    ...(allow.length === 0 ? {} : { allow }),
  };
}

function commandFor({ agent, subject, identity, needs }: Missing): string {
  const allow = allowancesFor(needs);
  const account = identity?.account == null ? "" : `/${identity.account}`;
  const words = [
    "deputy grants add --skill",
    shellWord(subject),
    ...(identity === null ? [] : ["--identity", shellWord(`${identity.domain}${account}`)]),
    ...(agent === "owner" ? [] : ["--agent", shellWord(agent)]),
    ...(needs.expose === true ? ["--expose"] : []),
    ...(allow.length === 0 ? [] : ["--allow", shellWord(allow.join(","))]),
  ];
  return words.join(" ");
}
