import { DeputyError } from "../../kernel/index.ts";
import { isOwnService, lookupKeychain, lookupSecret } from "../../platform/index.ts";
import type { KeychainStep } from "../executor.ts";
import type { Execution } from "../run/execution.ts";
import { evaluateText, nameOf } from "./evaluate.ts";
import type { ExecutorParts } from "./executor-parts.ts";

/** What the owner allows: `--allow binary:keychain`. The system may ask as well. */
const NEED = { kind: "binary", name: "keychain" } as const;

/** A password that another program keeps in the system's keychain, as text. */
export async function readKeychain(
  step: KeychainStep,
  execution: Execution,
  { env }: Pick<ExecutorParts, "env">,
): Promise<string> {
  const service = await evaluateText(execution, step.service);
  const account = step.account === null ? null : await evaluateText(execution, step.account);
  return readPassword({ service, account }, execution, env);
}

/** For the step and for code that asks. */
export async function readPassword(
  { service, account }: { readonly service: string; readonly account: string | null },
  execution: Execution,
  env: ExecutorParts["env"],
): Promise<string> {
  // No grant is for these: with the vault's key a skill would have every login.
  if (isOwnService(service))
    throw new DeputyError(
      "DENIED",
      `${nameOf(execution)}: what Deputy keeps in the keychain is not for skills`,
      { hint: "No grant is for that." },
    );
  if (!execution.allows(NEED)) throw execution.denial(NEED);
  const found =
    process.platform === "darwin"
      ? await lookupKeychain(service, account, env)
      : await lookupSecret({ service, ...(account === null ? {} : { account }) }, env);
  switch (found.kind) {
    case "found": {
      using secret = found.secret;
      return secret.reveal();
    }
    case "missing":
      throw new DeputyError("NOT_FOUND", `${nameOf(execution)}: the keychain has nothing for ${service}`, {
        hint: "The program that keeps it there may not be installed, or nobody is logged in to it.",
      });
    case "unavailable":
      throw new DeputyError(
        "UNSUPPORTED",
        `${nameOf(execution)}: the keychain cannot be read: ${found.reason}`,
        {
          hint:
            process.platform === "linux"
              ? "Install secret-tool (package libsecret-tools) and unlock the keyring."
              : "Keychain steps work on macOS, and on Linux with secret-tool.",
        },
      );
  }
}
