/** Asks for a fresh token many times at once, when told to. Prints what came of it, tokens as digests only. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createTokenKeeper } from "../../src/auth/oauth/token-keeper.ts";
import { createHttp, TransportPool } from "../../src/http/index.ts";
import { Secret, systemClock } from "../../src/kernel/index.ts";
import { Vault } from "../../src/vault/vault.ts";
import { testKek } from "../support/test-vault.ts";

const [path, calls, leaseMs, refused] = process.argv.slice(2);
const vault = Vault.open({ path: path!, kek: testKek(), clock: systemClock });
const pool = new TransportPool();
const keeper = createTokenKeeper({
  vault,
  clock: systemClock,
  http: createHttp({ pool, clock: systemClock, resolveAddresses: async () => [] }),
  clientFor: (_, clientId) => ({ clientId: clientId ?? "", clientSecret: null }),
  leaseMs: Number(leaseMs),
});
const joe = { domain: "127.0.0.1", identifier: "joe" };
const before = vault.find({ ...joe, itemType: "oauth" })!.value.reveal();
const { access_token } = JSON.parse(before) as { access_token: string };
const wanted = refused === "refused" ? { failed: Secret.fromText(access_token) } : {};
console.log("ready");
await once(process.stdin, "data");
const found = await Promise.all(
  Array.from({ length: Number(calls) }, async () => {
    const fresh = await keeper.fresh(joe, wanted);
    if (fresh.kind !== "token") return fresh.kind;
    return createHash("sha256").update(fresh.login.accessToken.bytes()).digest("hex");
  }),
);
console.log(JSON.stringify(found));
await pool[Symbol.asyncDispose]();
process.exit(0);
