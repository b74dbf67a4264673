import { Secret } from "../kernel/index.ts";
import type { Environment } from "./environment.ts";
import { findProgram, runProcess } from "./process.ts";
import type { SecretLookup } from "./secret-tool.ts";

/** `errSecItemNotFound` is -25300; `security` exits with its last byte. */
const NOT_FOUND = 44;
/** macOS asks the owner at the screen, who may be away. */
const PATIENCE_MS = 60_000;

/**
 * Reads another program's generic password from the macOS Keychain, which asks the owner whether it may. The value
 * comes over a pipe, never on a command line. Without an account it is the service's first.
 */
export async function lookupKeychain(
  service: string,
  account: string | null,
  env: Environment,
): Promise<SecretLookup> {
  const program = findProgram("security", env);
  if (program === undefined) return { kind: "unavailable", reason: "the program `security` is not there" };
  const argv = [
    program,
    "find-generic-password",
    "-w",
    "-s",
    service,
    ...(account === null ? [] : ["-a", account]),
  ] as const;
  const done = await runProcess([...argv], { env, timeoutMs: PATIENCE_MS, maxOutput: 65_536 });
  if (done.status === NOT_FOUND) return { kind: "missing" };
  if (done.status !== 0) return { kind: "unavailable", reason: "the Keychain refused, or nobody allowed it" };
  const end = done.stdout.at(-1) === 0x0a ? done.stdout.length - 1 : done.stdout.length;
  return { kind: "found", secret: Secret.fromBytes(done.stdout.subarray(0, end)) };
}
