import assert from "node:assert/strict";
import { test } from "node:test";
import type { Skill } from "../skill.ts";
import { type Obtained, readNewSecret } from "./new-secrets.ts";

const skill = { id: "shop", connections: new Map([["api", { name: "api", domain: "shop.test" }]]) };
const obtained: Obtained = {
  skill: skill as unknown as Skill,
  since: 1,
  fold: (host) => host.replace(/^\.?(www|api)\./, ""),
  reveal: (_, value) => value,
  jar: () => [],
};
const read = (given: unknown) => readNewSecret(given, obtained);

test("A secret may be written in either spelling", () => {
  const value = { key: "canary-spelled-twice" };
  const wanted = { domain: "shop.test", identifier: "joe", itemType: "api_key" };
  for (const given of [
    { domain: "shop.test", item_type: "api_key" },
    { issuer: "api.shop.test", itemType: "api_key" },
    { issuer: "www.shop.test", item_type: "api_key" },
    { domain: "api.shop.test", itemType: "api_key" },
  ]) {
    const { domain, identifier, itemType } = read({ ...given, identifier: "joe", value });
    assert.deepEqual({ domain, identifier, itemType }, wanted, JSON.stringify(given));
  }
  assert.equal(read({ domain: "shop.test", item_type: "cookie", value }).itemType, "cookies");
});

test("What is no secret of the skill's own service is refused, and never quoted", () => {
  const value = { key: "canary-refused-33" };
  for (const [given, code] of [
    [{ domain: "bank.test", item_type: "api_key", value }, "DENIED"],
    [{ domain: "shop.test", item_type: "grants", value }, "DENIED"],
    [{ domain: "shop.test", item_type: "api_key", identifier: "@client", value }, "DENIED"],
    [{ domain: "shop.test", value }, "SKILL_FAILED"],
    [{ item_type: "api_key", value }, "SKILL_FAILED"],
    [{ domain: "shop.test", item_type: "api_key", value: 5 }, "SKILL_FAILED"],
    ["canary-refused-33", "SKILL_FAILED"],
  ] as const)
    assert.throws(
      () => read(given),
      (error: { code: string; message: string; hint?: string }) => {
        assert.equal(error.code, code, JSON.stringify(given));
        return !`${error.message} ${error.hint}`.includes("canary-refused-33");
      },
    );
});
