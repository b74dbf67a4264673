import assert from "node:assert/strict";
import { test } from "node:test";
import { createDenialRing } from "../../../test/support/denial-ring.ts";
import { ChildScript } from "../../../test/support/child-script.ts";
import { grant, newGrant, NOW, request } from "../../../test/support/grant-cases.ts";
import { coded, META, put, TestVault } from "../../../test/support/test-vault.ts";
import { createGrants } from "../../access/index.ts";
import { Secret } from "../../kernel/index.ts";
import { openExport, sealExport, type Vault } from "../../vault/index.ts";
import { createGrantStore } from "./grant-store.ts";
import { internalKey, isInternal, listLogins } from "../vault/internal-rows.ts";

const PROCESSES = 4;
const ROUNDS = 30;

function grantsOf(vault: Vault) {
  return createGrants({
    store: createGrantStore(vault),
    clock: { now: () => NOW },
    denials: createDenialRing(),
  });
}

test("a write over a version somebody else has replaced changes nothing", () => {
  using file = new TestVault();
  const [one, other] = [createGrantStore(file.open()), createGrantStore(file.open())];
  const seen = one.read();
  assert.deepEqual(seen, { version: 0, grants: [] });
  assert.ok(other.write([grant({ id: "grant_other" })], other.read().version));
  assert.ok(!one.write([grant({ id: "grant_one" })], seen.version));
  assert.deepEqual(one.read().grants, [grant({ id: "grant_other" })]);
  assert.ok(one.write([], one.read().version));
  assert.ok(!other.write([grant()], seen.version), "a version is never used twice");
});

test(`${PROCESSES} processes that add and remove grants lose none, and settle one grant once`, async () => {
  using file = new TestVault();
  const identity = { domain: "race.example", account: null, pending: true };
  grantsOf(file.open()).add(newGrant({ identity }));
  const names = Array.from({ length: PROCESSES }, (_, i) => `writer${i}`);
  const children = names.map((name) => new ChildScript("grant-writer.ts", [file.path, name, String(ROUNDS)]));
  await Promise.all(children.map((child) => child.said(1)));
  for (const child of children) child.process.stdin!.write("go\n");
  const ended = await Promise.all(children.map((child) => child.ended));
  for (const { status, stderr } of ended) assert.equal(status, 0, stderr);
  const granted = names.filter((_, i) => ended[i]?.lines.at(-1) === "granted");
  assert.equal(granted.length, 1);
  const vault = file.open();
  const { grants } = createGrantStore(vault).read();
  const expected = names.flatMap((name) => Array.from({ length: ROUNDS }, (_, i) => `${name}-${i}`));
  assert.deepEqual(
    grants
      .filter(({ agent }) => agent !== "owner")
      .map(({ agent }) => agent)
      .sort(),
    expected.sort(),
  );
  const settled = grants.find(({ identity: whose }) => whose?.domain === "race.example");
  assert.deepEqual(settled?.identity, { ...identity, account: granted[0], pending: false });
  assert.equal(vault.verify().problem, undefined);
});

test("a grant cannot be made, brought back or carried over by editing the file", () => {
  using file = new TestVault();
  using elsewhere = new TestVault();
  const first = file.open();
  const { grant: made } = grantsOf(first).add(newGrant());
  grantsOf(elsewhere.open()).add(newGrant());
  type Stored = { version: number; sealed: Uint8Array };
  const stored = (from: TestVault) =>
    from.raw((db) =>
      db.prepare("SELECT version, sealed FROM rows WHERE domain = '@deputy'").get(),
    ) as unknown as Stored;
  const place = ({ version, sealed }: Stored) =>
    file.raw((db) => db.prepare("UPDATE rows SET version = ?, sealed = ?").run(version, sealed));
  const older = stored(file);
  grantsOf(first).remove(made.id);
  const newest = stored(file);
  const decide = (vault: Vault) => grantsOf(vault).decide(request());
  assert.equal(decide(first).kind, "denied");

  place(older);
  assert.throws(
    () => decide(first),
    coded("VAULT_ROLLED_BACK"),
    "the older list, to a process that saw the newer",
  );
  assert.throws(() => decide(file.open()), coded("VAULT_TAMPERED"), "the older list, to a new process");
  place({ ...newest, sealed: older.sealed });
  assert.throws(() => decide(file.open()), coded("VAULT_DAMAGED"), "the older list under the newer's number");
  place({ ...newest, sealed: stored(elsewhere).sealed });
  assert.throws(() => decide(file.open()), coded("VAULT_DAMAGED"), "another vault's list");
  for (let at = 0; at < newest.sealed.length; at++) {
    const sealed = Uint8Array.from(newest.sealed);
    sealed[at]! ^= 1;
    place({ ...newest, sealed });
    assert.throws(() => decide(first), coded("VAULT_DAMAGED"), `a flipped bit at ${at}`);
  }
  place(newest);
  put(
    first,
    { domain: "exa.ai", identifier: "owner", itemType: "grants" },
    JSON.stringify({ format: 1, grants: [made] }),
  );
  assert.equal(decide(first).kind, "denied", "a login of that type is not the list");
  file.raw((db) => {
    db.exec("DELETE FROM rows WHERE domain = '@deputy'");
    db.exec("UPDATE rows SET domain = '@deputy'");
  });
  assert.throws(() => decide(first), coded("VAULT_DAMAGED"), "a login put in its place");
  file.raw((db) => db.exec("DELETE FROM rows"));
  assert.throws(() => decide(file.open()), coded("VAULT_TAMPERED"), "taken away");
});

test("an export leaves the grants out, and an import that brings some is refused whole", async () => {
  using file = new TestVault();
  using forged = new TestVault();
  const vault = file.open();
  grantsOf(vault).add(newGrant());
  put(vault, { domain: "exa.ai", identifier: "joe", itemType: "api_key" }, "canary-export");
  assert.equal(listLogins(vault).length, 1);
  using passphrase = Secret.fromText("correct horse battery");
  assert.equal((await sealExport(vault, passphrase, (key) => !isInternal(key))).rows, 1);
  const { sealed } = await sealExport(vault, passphrase);
  const other = forged.open();
  await assert.rejects(openExport(other, sealed, passphrase), coded("BAD_INPUT"));
  assert.deepEqual(other.list(), []);
});

test("grants of a newer form are refused, not guessed at", () => {
  using file = new TestVault();
  const vault = file.open();
  using value = Secret.fromText(JSON.stringify({ format: 2, permits: [] }));
  vault.put(internalKey("grants"), value, META);
  assert.throws(() => createGrantStore(vault).read(), coded("VAULT_NEWER"));
});
