import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";
import { DeputyError, isRecord, newId, Secret, systemCode } from "./index.ts";

test("Secret prints [redacted] in every accidental way out", () => {
  const secret = Secret.fromText("canary-kernel-1");
  const seen = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ deep: { list: [secret] } }, { depth: 9, showHidden: true, getters: true }),
    // oxlint-disable-next-line typescript/restrict-plus-operands -- adding to a string is one of the ways out
    "" + secret,
    new Error(`failed with ${secret}`).message,
  ];
  for (const text of seen) {
    assert.ok(!text.includes("canary"), text);
    assert.ok(text.includes("[redacted]"), text);
  }
  assert.equal(secret.reveal(), "canary-kernel-1");
});

test("Secret zeroes its buffer when disposed and refuses to be used afterwards", () => {
  const bytes = Buffer.from("canary-kernel-2");
  const secret = Secret.fromBytes(bytes);
  secret[Symbol.dispose]();
  assert.deepEqual(bytes, Buffer.alloc(bytes.length));
  assert.throws(() => secret.reveal(), TypeError);
});

test("DeputyError keeps its code, message and hint across the wire", () => {
  const error = new DeputyError("NOT_FOUND", "There is no row for exa.ai", { hint: "deputy vault list" });
  const back = DeputyError.fromWire(JSON.parse(JSON.stringify(error)));
  assert.deepEqual(back.toJSON(), error.toJSON());
});

test("DeputyError from a newer engine names the code it does not know", () => {
  const back = DeputyError.fromWire({ code: "SHINY_NEW", message: "what happened" });
  assert.equal(back.code, "INTERNAL");
  assert.match(back.message, /SHINY_NEW: what happened/);
});

test("newId gives ids that are unique and sort by the millisecond they were made in", async () => {
  const ids = Array.from({ length: 1000 }, () => newId("run"));
  assert.equal(new Set(ids).size, 1000);
  await new Promise((resolve) => setTimeout(resolve, 3));
  const later = newId("run");
  assert.ok(ids.every((id) => id < later));
});

test("systemCode names what the system refused, and nothing else", () => {
  const refused = () => {
    try {
      return readFileSync("/nowhere/at/all", "utf8");
    } catch (error) {
      return systemCode(error);
    }
  };
  assert.equal(refused(), "ENOENT");
  for (const other of [new Error("none"), Object.assign(new Error(), { code: 5 }), { code: "ENOENT" }, null])
    assert.equal(systemCode(other), undefined);
});

test("isRecord takes objects of JSON, and neither lists nor null", () => {
  for (const value of [{}, { a: 1 }, JSON.parse('{"__proto__": 1}')]) assert.equal(isRecord(value), true);
  for (const value of [null, undefined, [], "text", 5, true]) assert.equal(isRecord(value), false);
});
