import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { did, Rounds, seed } from "../../test/support/fault-form.ts";
import { http1Server } from "../../test/support/http-servers.ts";
import { get, testHttp, testLease } from "../../test/support/test-lease.ts";
import { Secret } from "../kernel/index.ts";
import { Mask, readText } from "./index.ts";

const CANARY = "canary/mask+value=é-0123456789";
const maskOf = (...texts: string[]) => new Mask(texts.map((text) => Secret.fromText(text)));

async function masked(mask: Mask, chunks: readonly Uint8Array[]): Promise<string> {
  const shown = await Array.fromAsync(mask.bytes(ReadableStream.from(chunks) as AsyncIterable<Uint8Array>));
  return Buffer.concat(shown).toString();
}

/** Everything a server might make of it. */
const ECHOES: Record<string, string> = {
  raw: CANARY,
  "URL-encoded": encodeURIComponent(CANARY),
  "form-encoded": new URLSearchParams({ a: CANARY }).toString(),
  "lower-case escapes": encodeURIComponent(CANARY).replace(/%../g, (escape) => escape.toLowerCase()),
  "in JSON": JSON.stringify({ a: CANARY }),
  "in JSON with escaped slashes": JSON.stringify({ a: CANARY }).replaceAll("/", "\\/"),
  base64: Buffer.from(CANARY).toString("base64"),
  base64url: Buffer.from(CANARY).toString("base64url"),
  "Basic, one before": Buffer.from(`u${CANARY}`).toString("base64"),
  "Basic, two before": Buffer.from(`u:${CANARY}`).toString("base64"),
  "Basic, three before": Buffer.from(`me:${CANARY}`).toString("base64"),
  "inside longer base64": Buffer.from(`{"token":"${CANARY}","more":true}`).toString("base64"),
  "inside longer base64url": Buffer.from(`{"token":"${CANARY}","more":1}`).toString("base64url"),
};

/** What of the secret can still be read: raw, unescaped, or out of any base64 of the text. */
function leaks(text: string): boolean {
  const part = "0123456789";
  if (text.includes(part)) return true;
  return text
    .split(/[^\w+/=-]/)
    .flatMap((word) => [0, 1, 2, 3].map((from) => Buffer.from(word.slice(from), "base64").toString("latin1")))
    .some((decoded) => decoded.includes("mask+value"));
}

test("a secret is masked in every form a server may echo it in", async () => {
  const mask = maskOf(CANARY);
  for (const [name, echo] of Object.entries(ECHOES)) {
    const text = mask.text(`before ${echo} after`);
    assert.ok(text.includes("[redacted]"), name);
    assert.ok(!leaks(text), `${name}: ${text}`);
    assert.ok(text.startsWith("before ") && text.endsWith(" after"), text);
  }
});

test("a secret is masked wherever the chunks are cut, and all else passes unchanged", async () => {
  const mask = maskOf(CANARY, "another-canary-secret");
  for (const echo of Object.values(ECHOES)) {
    const whole = Buffer.from(`a page with ${echo} and another-canary-secret${echo} in it`);
    const expected = mask.text(whole.toString());
    for (let at = 0; at <= whole.length; at++)
      assert.equal(await masked(mask, [whole.subarray(0, at), whole.subarray(at)]), expected);
    assert.equal(
      await masked(
        mask,
        [...whole].map((byte) => Uint8Array.of(byte)),
      ),
      expected,
    );
  }
});

test("text without secrets passes byte by byte, in any chunks", async () => {
  const mask = maskOf(CANARY, "aaaaaaaaab", "abababababab");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 })), async (chunks) => {
      const shown = await Array.fromAsync(
        mask.bytes(ReadableStream.from(chunks) as AsyncIterable<Uint8Array>),
      );
      assert.deepEqual(Buffer.concat(shown), Buffer.concat(chunks));
    }),
  );
});

test("any mixture of words and secrets, in any chunks, shows what masking it whole shows", async (t) => {
  const mask = maskOf("aaaaaaaaab", "abababababab");
  const pieces = fc.constantFrom("aaaaaaaaab", "abababababab", "a", "b", "ab", "aaaa", "x");
  const sizes = fc.integer({ min: 1, max: 15 });
  const property = fc.asyncProperty(fc.array(pieces), sizes, async (words, size) => {
    const whole = Buffer.from(words.join(""));
    const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
      whole.subarray(i * size, (i + 1) * size),
    );
    assert.equal(await masked(mask, chunks), mask.text(whole.toString()));
  });
  const rounds = new Rounds({ short: 1, long: 500 });
  for (const round of rounds) await fc.assert(property, { numRuns: 100, seed: seed + round });
  did(t, { texts: rounds.count * 100 }, { leaked: 0 });
});

test("what cannot begin a secret is not held back", async () => {
  const mask = maskOf(CANARY);
  const shown: string[] = [];
  async function* events() {
    for (const event of ["data: one\n\n", "data: two\n\n", "data: ca", "t\n\n"]) {
      yield Buffer.from(event);
      shown.push("|");
    }
  }
  for await (const chunk of mask.bytes(events())) shown.push(Buffer.from(chunk).toString());
  assert.deepEqual(shown, ["data: one\n\n", "|", "data: two\n\n", "|", "data: ", "|", "cat\n\n", "|"]);
});

test("short values are not secrets: masking them would hide every page", () => {
  assert.ok(maskOf("1", "en-US", "session").isEmpty);
});

test("a response shows no secret in its URL, headers or body", async () => {
  await using server = await http1Server((request, response) => {
    if (request.url === "/")
      response.writeHead(302, { location: `/echo?key=${encodeURIComponent(CANARY)}` }).end();
    else {
      response.setHeader("x-echo", Buffer.from(CANARY).toString("base64"));
      response.end(`your key is ${CANARY}`);
    }
  });
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({
    base: `http://app.bank.test:${server.port}`,
    secrets: [Secret.fromText(CANARY)],
  });
  const response = await http.send(lease, get("/"));
  const body = await readText(response);
  assert.equal(body, "your key is [redacted]");
  assert.ok(!leaks(JSON.stringify([response.url, response.headers, body])));
  assert.ok(!response.headers.some(([name]) => name === "content-length"));
});
