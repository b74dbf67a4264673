import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { codeOf, coded } from "../../../test/support/test-vault.ts";
import { Secret } from "../../kernel/index.ts";
import { findHeader, type Header } from "../header.ts";
import { Vault } from "../vault.ts";
import { passphraseKey } from "./passphrase-key.ts";

const saying = (words: string) => passphraseKey(async () => Secret.fromText(words));
const header = (params: Header["params"]): Header => ({
  vaultId: Buffer.alloc(16),
  provider: "passphrase",
  params,
});

test("passphraseKey gives the same key for the same words, another for others and for another salt", async () => {
  const made = await saying("correct horse battery").create(Buffer.alloc(16));
  const again = await saying("correct horse battery").open(header(made.params));
  assert.deepEqual(again.bytes(), made.kek.bytes());
  const wrong = await saying("correct horse batterz").open(header(made.params));
  assert.notDeepEqual(wrong.bytes(), made.kek.bytes());
  const other = await saying("correct horse battery").create(Buffer.alloc(16));
  assert.notDeepEqual(other.kek.bytes(), made.kek.bytes());
});

test("passphraseKey is argon2id as RFC 9106 has it", async () => {
  // The answer of the reference implementation:
  // echo -n canary-passphrase | argon2 saltsaltsaltsalt -id -t 3 -k 65536 -p 4 -l 32 -r
  const params = {
    memory: 65_536,
    passes: 3,
    parallelism: 4,
    salt: Buffer.from("saltsaltsaltsalt").toString("base64"),
  };
  const kek = await saying("canary-passphrase").open(header(params));
  const answer = "0739d29e7b1d349c361eca6006fde51979d622608538f5b6ec158789163d21f2";
  assert.equal(kek.bytes().toString("hex"), answer);
});

test("passphraseKey refuses words that are too short", async () => {
  await assert.rejects(saying("seven77").create(Buffer.alloc(16)), coded("BAD_INPUT"));
});

test("passphraseKey refuses settings below the floor, above the ceiling and malformed, before it asks", async () => {
  const good = { memory: 65_536, passes: 3, parallelism: 4, salt: Buffer.alloc(16).toString("base64") };
  const edits: Record<string, string | number>[] = [
    { memory: 8 },
    { memory: 19_455 },
    { memory: 65_536.5 },
    { memory: 2 ** 31 },
    { memory: -1 },
    { memory: "65536" },
    { passes: 1 },
    { passes: 0 },
    { passes: 1000 },
    { parallelism: 0 },
    { parallelism: 1000 },
    { salt: "" },
    { salt: "AAAA" },
    { salt: 5 },
  ];
  let asked = 0;
  const provider = passphraseKey(async () => {
    asked += 1;
    return Secret.fromText("correct horse battery");
  });
  for (const edit of edits)
    await assert.rejects(
      provider.open(header({ ...good, ...edit })),
      coded("VAULT_DAMAGED"),
      JSON.stringify(edit),
    );
  await assert.rejects(provider.open(header({})), coded("VAULT_DAMAGED"));
  assert.equal(asked, 0, "the words are not even asked for");
});

test("A vault under a passphrase opens with the right words only", async () => {
  using folder = temporaryFolder("passphrase");
  const path = join(folder.path, "vault.db");
  const { kek, params } = await saying("correct horse battery").create(Buffer.alloc(16));
  Vault.create(path, { provider: "passphrase", params }, kek);
  const open = async (words: string) => {
    const found = findHeader(path)!;
    const kek = await saying(words).open(found);
    return codeOf(() => Vault.open({ path, kek, clock: { now: () => 0 } })[Symbol.dispose]());
  };
  assert.equal(await open("correct horse battery"), undefined);
  assert.equal(await open("correct horse batterY"), "WRONG_KEY");
});
