import { Secret } from "../kernel/index.ts";
import type { Environment } from "./environment.ts";
import { findProgram, runProcess } from "./process.ts";

/** What a program that keeps other programs' secrets answers. */
export type SecretLookup =
  | { readonly kind: "found"; readonly secret: Secret }
  | { readonly kind: "missing" }
  | { readonly kind: "unavailable"; readonly reason: string };

/**
 * Reads another program's Secret Service item by its attributes. @napi-rs/keyring cannot: it only finds items
 * with its own attributes. The value comes over a pipe, never on a command line.
 */
export async function lookupSecret(
  attributes: Readonly<Record<string, string>>,
  env: Environment,
): Promise<SecretLookup> {
  const program = findProgram("secret-tool", env);
  if (program === undefined) return { kind: "unavailable", reason: "secret-tool is not installed" };
  const pairs = Object.entries(attributes).flat();
  const done = await runProcess([program, "lookup", ...pairs], { env, timeoutMs: 30_000, maxOutput: 65_536 });
  if (done.status === 0 && done.stdout.length > 0)
    return { kind: "found", secret: Secret.fromBytes(done.stdout) };
  // secret-tool exits 1 in silence when there is no such item, and with a message when it cannot ask.
  const said = done.stderr.toString("utf8").trim();
  return said === "" ? { kind: "missing" } : { kind: "unavailable", reason: said };
}
