import assert from "node:assert/strict";
import { DeputyError, type RowKey } from "../../src/kernel/index.ts";
import { findHeader } from "../../src/vault/header.ts";
import { Vault } from "../../src/vault/vault.ts";
import { read, testKek } from "./test-vault.ts";

/**
 * Looks at a file that may have been tampered with as a user would: open, verify, read every row. "clean" means
 * that the vault noticed nothing, and then every row must be right; otherwise the codes it gave. A value that was
 * never in that row, and an error without a code, fail the test.
 */
export function verdict(path: string, rows: ReadonlyMap<RowKey, string>, knownEpoch?: number): string {
  const codes = new Set<string>();
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      assert.ok(error instanceof DeputyError, `not a DeputyError: ${String(error)}`);
      codes.add(error.code);
    }
  };
  attempt(() => {
    if (findHeader(path) === undefined) codes.add("NOT_SET_UP");
  });
  attempt(() => {
    using vault = Vault.open({ path, kek: testKek(), clock: { now: () => 0 }, knownEpoch });
    attempt(() => {
      const { bad, problem } = vault.verify();
      for (const { code } of bad) codes.add(code);
      if (problem !== undefined) codes.add(problem.code);
    });
    const found: (readonly [RowKey, string | undefined])[] = [];
    for (const key of rows.keys()) attempt(() => found.push([key, read(vault, key)]));
    attempt(() => vault.list());
    for (const [key, value] of found) {
      if (value === undefined && codes.size > 0) continue; // not found, and something was noticed
      assert.equal(value, rows.get(key), `a wrong value was accepted for ${JSON.stringify(key)}`);
    }
  });
  return codes.size === 0 ? "clean" : [...codes].sort().join(" ");
}
