import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { did, Rounds, seed } from "../../test/support/fault-form.ts";
import { Secret } from "../kernel/index.ts";
import { Mask } from "./index.ts";

const KEY = "canary-key-0d6f2c9b71e4";
const maskOf = (...texts: string[]) => new Mask(texts.map((text) => Secret.fromText(text)));

test("Half of a key is hidden, wherever it was cut and whatever stands around it", () => {
  const mask = maskOf(`Bearer ${KEY}`, KEY);
  for (let from = 0; from + 8 <= KEY.length; from++) {
    for (let to = from + 8; to <= KEY.length; to++) {
      const shown = mask.text(`"part": "##${KEY.slice(from, to)}##"`);
      assert.equal(shown, '"part": "##[redacted]##"');
    }
  }
  assert.equal(mask.text(`${KEY.slice(0, 7)} ${KEY.slice(7, 14)}`), `${KEY.slice(0, 7)} ${KEY.slice(7, 14)}`);
});

test("Parts of keys in any mixture and any chunks show what masking it whole shows", async (t) => {
  const mask = maskOf(KEY, "Zk3mQ9vT1xB7rL5nW2yH8c");
  const part = fc
    .tuple(fc.constantFrom(KEY, "Zk3mQ9vT1xB7rL5nW2yH8c"), fc.nat(20), fc.nat(23))
    .map(([key, from, to]) => key.slice(from, to));
  const words = fc.array(fc.oneof(part, fc.constantFrom(" ", "a", "0d6", "\0", "-")));
  const property = fc.asyncProperty(words, fc.integer({ min: 1, max: 15 }), async (words, size) => {
    const whole = Buffer.from(words.join(""));
    const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
      whole.subarray(i * size, (i + 1) * size),
    );
    const source = ReadableStream.from(chunks) as AsyncIterable<Uint8Array>;
    const shown = Buffer.concat(await Array.fromAsync(mask.bytes(source))).toString();
    assert.equal(shown, mask.text(whole.toString()));
  });
  const rounds = new Rounds({ short: 1, long: 500 });
  for (const round of rounds) await fc.assert(property, { numRuns: 100, seed: seed + round });
  did(t, { texts: rounds.count * 100 }, { leaked: 0 });
});

test("What cookies and rows hold beside secrets stays readable in every page", () => {
  const mask = maskOf(
    "https://www.shop.test/account/settings",
    "https%3A%2F%2Fwww.shop.test%2Faccount",
    "America/New_York",
    "2026-11-16T00:25:54.123Z",
    "Mon Nov 16 2026 00:25:54 GMT+0000 (Coordinated Universal Time)",
    "isGpcEnabled=0&browserGpcFlag=0&isIABGlobal=false",
    "joe.public@example-company.test",
    "1763252754000.1763252754",
    "5f8a7b6c9d0e1f2a3b4c5d6e",
    "0190a1b2-c3d4-7e5f-8a6b-9c0d1e2f3a4b",
  );
  const page = [
    "https://www.shop.test/other https%3A%2F%2Fwww.shop.test%2Fother America/New_Orleans",
    "2026-11-16T00:25:59.123Z Mon Nov 16 2026 00:30:00 GMT+0000 (Coordinated Universal Time)",
    "isGpcEnabled=1&isIABGlobal=true jane.public@example-company.test 1763252754111",
    "5f8a7b6c9d0e1f2a3b4c5d6f 0190a1b2-c3d4-7e5f-8a6b-9c0d1e2f3a4c",
  ].join("\n");
  assert.equal(mask.text(page), page);
});

test("Of a signed token the signature is hidden in parts; what every token of the issuer begins with is not", () => {
  const head = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzaG9wIiwic3ViIjoiMSJ9";
  const signature = "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c";
  const mask = maskOf(`${head}.${signature}`);
  assert.equal(mask.text(`${head}.${signature}`), "[redacted]");
  assert.equal(mask.text(`${head}.another`), `${head}.another`);
  assert.equal(mask.text(signature.slice(10, 30)), "[redacted]");
});

test("Looking for parts takes no longer for a text made to make it long", () => {
  const same = Array.from({ length: 1000 }, (_, n) => `a1b2${n.toString(36).padStart(3, "x")}`).join("");
  const mask = maskOf("a1b2".repeat(1024), same);
  const page = Buffer.alloc(4 * 1024 * 1024, "a1b2c");
  assert.equal(mask.text(page.toString()).length, page.length);
});
