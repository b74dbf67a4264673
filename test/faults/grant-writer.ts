/** Adds and settles grants in a vault many processes share. Begins when told to. */
import { once } from "node:events";
import { createGrants } from "../../src/access/index.ts";
import { createGrantStore } from "../../src/engine/grants/grant-store.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { Vault } from "../../src/vault/vault.ts";
import { createDenialRing } from "../support/denial-ring.ts";
import { newGrant, request } from "../support/grant-cases.ts";
import { testKek } from "../support/test-vault.ts";

const [path = "", name = "", rounds] = process.argv.slice(2);
const vault = Vault.open({ path, kek: testKek(), clock: systemClock });
const grants = createGrants({
  store: createGrantStore(vault),
  clock: systemClock,
  denials: createDenialRing(),
});
console.log("ready");
await once(process.stdin, "data");
for (let i = 0; i < Number(rounds); i++) {
  grants.add(newGrant({ agent: `${name}-${i}` }));
  if (i % 2 === 1) grants.remove(grants.add(newGrant({ agent: `${name}-gone-${i}` })).grant.id);
}
// One grant that is still to find its account, wanted by every process at once.
const identity = { domain: "race.example", account: name };
console.log(grants.decide(request({ identity })).kind);
process.exit(0);
