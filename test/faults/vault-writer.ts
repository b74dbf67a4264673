/** Writes to a vault until it is killed. Says what it is about to do, and when the call has returned. */
import { writeSync } from "node:fs";
import { Secret } from "../../src/kernel/index.ts";
import { Vault } from "../../src/vault/vault.ts";
import { seededRandom } from "../support/fault-form.ts";
import { key, META, testKek, TOGETHER, togetherKeys } from "../support/test-vault.ts";

const [path, seed] = process.argv.slice(2);
const vault = Vault.open({ path: path!, kek: testKek(), clock: { now: () => Date.now() } });
const random = seededRandom(Number(seed));
for (;;) {
  if (random() < 0.2) writeTogether(`${vault.epoch + 1}`);
  const at = key(`account-${Math.floor(random() * 24)}`);
  const content = random() < 0.1 ? "" : `${vault.epoch + 1}`;
  writeSync(1, `begin ${at.identifier} ${content}\n`);
  if (content === "") {
    vault.remove(at);
  } else {
    using value = Secret.fromText(`${content} ${"x".repeat(Math.floor(random() ** 4 * 20_000))}`);
    vault.put(at, value, META);
  }
  writeSync(1, "done\n");
}

/** Rows that must all be there, or none of them. */
function writeTogether(content: string): void {
  writeSync(1, `begin ${TOGETHER} ${content}\n`);
  const rows = togetherKeys().map((at) => {
    const value = Secret.fromText(`${content} ${"x".repeat(Math.floor(random() ** 4 * 5_000))}`);
    return { key: at, value, meta: META };
  });
  vault.putAll(rows, { durable: random() < 0.5 });
  writeSync(1, "done\n");
}
