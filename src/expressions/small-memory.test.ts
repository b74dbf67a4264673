import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { createJqInstance } from "./jq-instance.ts";
import { beginWithPages } from "./small-memory.ts";

const { WebAssembly } = globalThis as any;
const jq = new Uint8Array(await readFile(new URL(import.meta.resolve("jq-wasm/jq.wasm"))));

/** (module (type (func)) (memory (export "m") 256 512)) */
const tiny = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 5, 6, 1, 1, 128, 2, 128, 4, 7, 5, 1, 1, 109, 2, 0,
]);
const pagesOf = (module: Uint8Array) =>
  new WebAssembly.Instance(new WebAssembly.Module(module)).exports.m.buffer.byteLength / 65536;

test("A module begins with as many pages as it is told, and never with more than it declares", () => {
  assert.equal(pagesOf(tiny), 256);
  assert.equal(pagesOf(beginWithPages(tiny, 40)), 40);
  assert.equal(pagesOf(beginWithPages(tiny, 200)), 200);
  assert.equal(pagesOf(beginWithPages(tiny, 300)), 256);
  assert.equal(pagesOf(tiny), 256, "the one given is left as it is");
  const none = tiny.slice(0, 14);
  assert.equal(beginWithPages(none, 40), none);
});

test("jq begins small, grows where it must, and forgets what it grew for", async () => {
  assert.equal(beginWithPages(jq, 40).length, jq.length);
  const instance = await createJqInstance({ memoryBytes: 64 * 1024 * 1024 });
  assert.equal(instance.heap, 40 * 65536);
  const long = "canary-in-memory ".repeat(200_000);
  assert.equal(instance.raw(JSON.stringify(long), "length").stdout, String(long.length));
  assert.ok(instance.heap > 40 * 65536);
  instance.wipe();
  assert.equal(instance.raw("[3, 1, 2]", "sort | tojson").stdout, "[1,2,3]");
  instance.wipe();
  assert.throws(() => instance.raw('"x"', ". * 100000000 | length"), "beyond its limit");
});
