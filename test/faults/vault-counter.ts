/** Adds one to counters many processes share, each time over the version it has read. Begins when told to. */
import { once } from "node:events";
import { Secret } from "../../src/kernel/index.ts";
import { Vault } from "../../src/vault/vault.ts";
import { seededRandom } from "../support/fault-form.ts";
import { key, META, read, testKek } from "../support/test-vault.ts";

const [path, rounds, counters, seed] = process.argv.slice(2);
const vault = Vault.open({ path: path!, kek: testKek(), clock: { now: () => Date.now() } });
const random = seededRandom(Number(seed));
console.log("ready");
await once(process.stdin, "data");
let conflicts = 0;
let slowest = 0;
for (let i = 0; i < Number(rounds); i++) {
  const at = key(`counter-${Math.floor(random() * Number(counters))}`);
  const begun = performance.now();
  for (;;) {
    const row = vault.find(at);
    using value = Secret.fromText(String(Number(row?.value.reveal() ?? 0) + 1));
    if (vault.put(at, value, META, row?.version ?? 0).kind === "stored") break;
    conflicts += 1;
  }
  slowest = Math.max(slowest, performance.now() - begun);
}
console.log(JSON.stringify({ conflicts, slowest, last: read(vault, key("counter-0")) }));
process.exit(0);
