import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Vault } from "../../src/vault/vault.ts";
import { ChildScript } from "../support/child-script.ts";
import { did, Rounds, seed, seededRandom, unusable } from "../support/fault-form.ts";
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
async function putUnder(syscall: string, fault: string, when: number, size: number): Promise<Run> {
  const path = join(folder, `${syscall}-${fault.replace("=", "-")}-${when}.db`);
  const log = `${path}.strace`;
  copyFileSync(prepared.path, path);
  const files = [path, `${path}-wal`, `${path}-shm`].flatMap((file) => ["-P", file]);
  const inject = ["-e", `trace=${syscall}`, "-e", `inject=${syscall}:${fault}:when=${when}`];
  const child = new ChildScript("vault-one-put.ts", [path, String(size)], {
    before: ["strace", "-f", "-qq", "-o", log, ...files, ...inject],
  });
  const { lines, stderr } = await child.ended;
  const outcomes = Object.fromEntries(lines.map((line) => line.split(/ (.*)/s).slice(0, 2)));
  const killed = fault.startsWith("signal");
  const injected = killed ? !lines.includes("open done") : readFileSync(log, "utf8").includes("(INJECTED)");
  assert.doesNotMatch(lines.join("\n"), /CRASH/, stderr);
  const after = checkAfterwards(path, `${syscall} ${fault} at ${when}`);
  for (const file of [path, log]) rmSync(file);
  return { injected, outcomes, after };
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

const SIZES = [10, 60_000, 1_000_000];

/** Every index at which `syscall` can be met while a row of this size is put. Gives how many there were. */
async function everyIndex(syscall: string, fault: string, size: number, isLate: () => boolean) {
  const seen = { old: 0, new: 0 };
  for (let when = 1; ; when++) {
    const { injected, outcomes, after } = await putUnder(syscall, fault, when, size);
    assert.ok(after === "old" || after === "new", `neither after ${syscall} ${when}: ${after}`);
    if (outcomes["put"] === "stored") assert.equal(after, "new", `acknowledged and lost at ${when}`);
    if ("read" in outcomes) assert.match(outcomes["read"], /^(old|new|DISK_FULL)$/);
    if (injected) seen[after] += 1;
    else {
      assert.equal(outcomes["close"], "done", `nothing was injected at ${when}, and yet it failed`);
      assert.ok(when > 1, "no call was ever met");
    }
    if (!injected || isLate()) return seen;
  }
}

for (const [syscall, fault] of FAULTS) {
  test(`A row is old or new, never neither, when ${syscall} meets ${fault} at any index`, {
    skip: noStrace,
  }, async (t) => {
    t.diagnostic(`seed ${seed}`);
    const random = seededRandom(seed);
    const others = new Rounds({ short: 0, long: SIZES.length, share: 1 / FAULTS.length });
    const seen = await everyIndex(syscall, fault, 3000, () => false);
    for (const round of others) {
      const size = SIZES[round] ?? Math.floor(random() ** 3 * 500_000);
      const more = await everyIndex(syscall, fault, size, () => others.isLate);
      seen.old += more.old;
      seen.new += more.new;
    }
    t.diagnostic(`${seen.old} left the old row, ${seen.new} the new one`);
    did(t, { "failed writes": seen.old + seen.new }, { lost: 0 });
  });
}
