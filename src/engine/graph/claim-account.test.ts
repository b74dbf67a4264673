import assert from "node:assert/strict";
import { test } from "node:test";
import { createClaim } from "./claim-account.ts";

const joe = { domain: "shop.test", identifier: "joe" };

test("An account is claimed once, and once more where the graph failed", async () => {
  const claims: string[] = [];
  let broken = true;
  const claim = createClaim({
    async claimAccount({ domain, identifier }) {
      claims.push(`${domain}/${identifier}`);
      if (broken) throw new Error("busy");
    },
  });
  await assert.rejects(claim(joe));
  broken = false;
  await claim(joe);
  await claim(joe);
  assert.deepEqual(claims, ["shop.test/joe", "shop.test/joe"]);
});

test("A login nobody has named is nobody's account", async () => {
  const claim = createClaim({ claimAccount: async () => assert.fail("claimed") });
  await claim({ ...joe, identifier: "@chromium/Default" });
  await claim({ ...joe, identifier: "default" });
});
