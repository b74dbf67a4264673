import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Vault } from "../../src/vault/vault.ts";
import { ChildScript } from "../support/child-script.ts";
import { longForm, unusable } from "../support/fault-form.ts";
import { key, put, read, testKek, TestVault } from "../support/test-vault.ts";

const OTHERS = 20;
const noStrace = unusable("strace", "-o", "/dev/null", "true");
const prepared = new TestVault();
const folder = mkdtempSync(join(tmpdir(), "deputy-write-errors-"));
before(() => {
  using vault = prepared.open();
  put(vault, key(), `old${"o".repeat(3000)}`);
  for (let i = 0; i < OTHERS; i++) put(vault, key(`other-${i}`), `other ${i}`);
});
after(() => {
  prepared[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly injected: boolean;
  readonly outcomes: Record<string, string>;
  readonly after: string | undefined;
}

/** One child whose `when`th call of `syscall` on the vault's files fails or kills it. */
async function putUnder(syscall: string, fault: string, when: number, value: string): Promise<Run> {
  const path = join(folder, `${syscall}-${fault.replace("=", "-")}-${when}.db`);
  const log = `${path}.strace`;
  copyFileSync(prepared.path, path);
  const files = [path, `${path}-wal`, `${path}-shm`].flatMap((file) => ["-P", file]);
  const inject = ["-e", `trace=${syscall}`, "-e", `inject=${syscall}:${fault}:when=${when}`];
  const child = new ChildScript("vault-one-put.ts", [path, value], {
    before: ["strace", "-f", "-qq", "-o", log, ...files, ...inject],
  });
  const { lines, stderr } = await child.ended;
  const outcomes = Object.fromEntries(lines.map((line) => line.split(/ (.*)/s).slice(0, 2)));
  const killed = fault.startsWith("signal");
  const injected = killed ? !lines.includes("open done") : readFileSync(log, "utf8").includes("(INJECTED)");
  assert.doesNotMatch(lines.join("\n"), /CRASH/, stderr);
  return { injected, outcomes, after: checkAfterwards(path, `${syscall} ${fault} at ${when}`) };
}

/** With the fault gone: everything proves itself, and the row is there. */
function checkAfterwards(path: string, what: string): string | undefined {
  using vault = Vault.open({ path, kek: testKek(), clock: { now: () => Date.now() } });
  assert.deepEqual(vault.verify(), { rows: OTHERS + 1, bad: [], problem: undefined }, what);
  for (let i = 0; i < OTHERS; i++) assert.equal(read(vault, key(`other-${i}`)), `other ${i}`, what);
  return read(vault, key())?.slice(0, 3);
}

const FAULTS = [
  ["pwrite64", "error=ENOSPC"],
  ["pwrite64", "error=EIO"],
  ["pwrite64", "signal=SIGKILL"],
  ["fsync", "error=EIO"],
  ["fsync", "signal=SIGKILL"],
  ["ftruncate", "error=EIO"],
  ["ftruncate", "signal=SIGKILL"],
] as const;

const sizes = longForm ? [10, 3000, 60_000, 1_000_000] : [3000];

for (const size of sizes) {
  for (const [syscall, fault] of FAULTS) {
    test(`A row of ${size} bytes is old or new, never neither, when ${syscall} meets ${fault} at any index`, {
      skip: noStrace,
    }, async (t) => {
      const value = `new${"n".repeat(size)}`;
      const seen = { old: 0, new: 0 };
      for (let when = 1; ; when++) {
        const { injected, outcomes, after } = await putUnder(syscall, fault, when, value);
        assert.ok(after === "old" || after === "new", `neither after ${syscall} ${when}: ${after}`);
        if (outcomes["put"] === "stored") assert.equal(after, "new", `acknowledged and lost at ${when}`);
        if ("read" in outcomes) assert.match(outcomes["read"], /^(old|new|DISK_FULL)$/);
        if (!injected) {
          assert.equal(outcomes["close"], "done", `nothing was injected at ${when}, and yet it failed`);
          assert.ok(when > 1, "no call was ever met");
          t.diagnostic(`${when - 1} indices: ${seen.old} left the old row, ${seen.new} the new one`);
          return;
        }
        seen[after] += 1;
      }
    });
  }
}
