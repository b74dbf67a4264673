/**
 * Takes one lease over and over. While it holds it, it alone counts in the file: read, wait a moment, write, with no
 * lock but the lease. With `hold` it takes the lease once, says so, and waits to be killed.
 */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { Vault } from "../../src/vault/vault.ts";
import { testKek } from "../support/test-vault.ts";

const [path, count, mode, rounds, ms] = process.argv.slice(2);
const vault = Vault.open({ path: path!, kek: testKek(), clock: { now: () => Date.now() } });
const take = () => vault.lease({ domain: "exa.ai", identifier: "joe" }, "refresh", Number(ms));
if (mode === "hold") {
  const asked = Date.now();
  console.log(take() === undefined ? "refused" : `held ${asked}`);
  await setTimeout(600_000);
}
console.log("ready");
await once(process.stdin, "data");
for (let done = 0; done < Number(rounds); ) {
  using lease = take();
  if (lease === undefined) {
    await setTimeout(Math.random() * 4);
    continue;
  }
  const before = Number(readFileSync(count!, "utf8"));
  await setTimeout(1);
  writeFileSync(count!, String(before + 1));
  done += 1;
}
console.log(`done ${Date.now()}`);
process.exit(0);
