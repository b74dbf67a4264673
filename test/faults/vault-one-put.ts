/** Opens a vault, overwrites one row, reads it back: all under whatever faults the parent arranged. */
import { writeSync } from "node:fs";
import { DeputyError, Secret } from "../../src/kernel/index.ts";
import { Vault } from "../../src/vault/vault.ts";
import { key, META, read, testKek } from "../support/test-vault.ts";

const [path, size] = process.argv.slice(2);

function attempt(name: string, work: () => string): void {
  let outcome: string;
  try {
    outcome = work();
  } catch (error) {
    outcome = error instanceof DeputyError ? error.code : `CRASH ${String(error)}`;
  }
  writeSync(1, `${name} ${outcome}\n`);
}

attempt("open", () => {
  const vault = Vault.open({ path: path!, kek: testKek(), clock: { now: () => Date.now() } });
  attempt("put", () => {
    using value = Secret.fromText(`new${"n".repeat(Number(size))}`);
    return vault.put(key(), value, META).kind;
  });
  // The same running vault, after the failure: it must neither lose the row nor take it for a rolled-back one.
  attempt("read", () => read(vault, key())?.slice(0, 3) ?? "nothing");
  attempt("close", () => {
    vault[Symbol.dispose]();
    return "done";
  });
  return "done";
});
