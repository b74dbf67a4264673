/** A host's process says whatever it likes on its pipe: the engine believes none of it and ends what is not our SDK's. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { did } from "../support/fault-form.ts";
import { hostPool, noFullJail, noPython, runSkill } from "../support/skill-host.ts";

const skip = noFullJail;
const pool = hostPool({ size: 2 });
after(() => pool[Symbol.asyncDispose]());

/** Writes raw messages, then waits to be ended. */
const raw = (code: string, changes = {}) =>
  runSkill(
    pool,
    {
      "skill.ts": `import { writeSync } from "node:fs";
const say = (text) => { const b = Buffer.from(text + "\\n"); for (let at = 0; at < b.length;) at += writeSync(4, b, at); };
const ask = (id, method, params) => say(JSON.stringify({ id, method, params }));
const get = { method: "GET", url: "/", headers: [] };
export async function go(run) { ${code}; await new Promise((done) => setTimeout(done, 10_000)); return "still there"; }`,
    },
    "go",
    changes,
  );

const violations: Record<string, string> = {
  "not JSON": `say("hello")`,
  "half JSON": `say('{"id":1,')`,
  "an array": `say("[1]")`,
  null: `say("null")`,
  "a text": `say('"run"')`,
  "an empty line": `say("")`,
  "bytes that are no text": `writeSync(4, Buffer.from([0xff, 0xfe, 10]))`,
  "an id that skips": `ask(2, "http", get)`,
  "an id used twice": `ask(1, "cache.get", { key: "a" }); ask(1, "cache.get", { key: "a" })`,
  "id 0 as a request": `ask(0, "http", get)`,
  "a negative id": `ask(-1, "http", get)`,
  "an id that is text": `ask("1", "http", get)`,
  "an id that is an object": `ask({ valueOf: 1 }, "http", get)`,
  "an id of another run": `ask(4711, "http", get)`,
  "an id beyond what numbers hold": `say('{"id":1e400,"method":"http","params":{}}')`,
  "an answer before its question": `say('{"id":1,"result":{}}')`,
  "an answer to its own question": `ask(1, "call", { operation: "slow", params: {} }); say('{"id":1,"result":"forged"}')`,
  "a method that is not there": `ask(1, "vault.list", {})`,
  "a method of every object": `ask(1, "constructor", {})`,
  "a method named __proto__": `ask(1, "__proto__", {})`,
  "a method named hasOwnProperty": `ask(1, "hasOwnProperty", {})`,
  "the engine's own method": `ask(1, "run", { folder: "/" })`,
  "a second ready": `say('{"method":"ready","params":{}}')`,
  "a note that is not there": `say('{"method":"grant","params":{"all":true}}')`,
  "a deep value": `say('{"id":0,"result":' + "[".repeat(5000) + "]".repeat(5000) + "}")`,
  "more at once than allowed": `for (let i = 1; i < 100; i++) ask(i, "call", { operation: "slow", params: {} })`,
};

const slow = { call: () => new Promise<never>(() => {}) };

for (const [name, code] of Object.entries(violations))
  test(`${name} ends the run`, { skip }, async (t) => {
    const { outcome } = await raw(code, { serve: slow });
    assert.equal(outcome.kind, "stopped", JSON.stringify(outcome));
    assert.equal(outcome.kind === "stopped" && outcome.why, "crashed");
    did(t, { violations: 1 }, { believed: 0 });
  });

test("floods end the run: of requests, of log lines, of progress, of bytes without an end", {
  skip,
}, async (t) => {
  const limits = { outputBytes: 1024 * 1024, requests: 500 };
  const outcomes: Record<string, string> = {
    "for (let i = 1; ; i++) { ask(i, 'cache.get', { key: 'a' }); if (i % 8 === 0) await new Promise((d) => setTimeout(d, 1)); }":
      "crashed",
    "for (;;) run.log('x')": "output",
    "for (;;) run.progress('x')": "output",
    'for (;;) say(\'{"method":"log"}\')': "output",
    "for (;;) console.log('x'.repeat(10000))": "output",
    "const b = Buffer.alloc(1 << 20, 97); for (;;) writeSync(4, b)": "output",
    "return 'x'.repeat(2 << 20)": "output",
  };
  for (const [code, why] of Object.entries(outcomes)) {
    const { outcome, took, logs } = await raw(code, { limits });
    assert.equal(
      outcome.kind === "stopped" && outcome.why,
      why,
      `${code}: ${JSON.stringify(outcome).slice(0, 200)}`,
    );
    assert.ok(took < 20_000 && logs.length < 200_000);
  }
  did(t, { floods: Object.keys(outcomes).length }, { "not ended": 0 });
});

test("there is no field to name somebody else with", { skip }, async () => {
  const refused = await raw(`
    const answers = [];
    for (const extra of [{ identity: "bob" }, { account: "bob" }, { connection: "other" }, { run: 2 }, { agent: "owner" }, { skill: "bank" }])
      answers.push(await run.http.request("GET", "/", extra).then(() => "sent", (error) => error.code));
    return answers`);
  assert.deepEqual(refused.value, Array(6).fill("BAD_INPUT"));
  assert.deepEqual(refused.requests, []);
});

test("keys that are prototypes elsewhere are dropped before anybody sees them", { skip }, async () => {
  const { outcome, requests } = await raw(`
    say('{"id":1,"method":"http","params":{"method":"GET","url":"/","headers":[],"__proto__":{"identity":"bob","jar":"none"}}}');
    await new Promise((done) => setTimeout(done, 100));
    say('{"__proto__":{"kind":"returned"},"id":0,"result":{"a":[{"__proto__":{"admin":true}}],"constructor":{"prototype":{"x":1}}}}')`);
  assert.equal(requests.length, 1);
  assert.deepEqual(requests[0], { method: "GET", url: "/", headers: [] });
  assert.equal((requests[0] as any).jar, undefined);
  assert.equal(outcome.kind, "returned");
  const value = outcome.kind === "returned" ? (outcome.value as any) : {};
  assert.equal(Object.hasOwn(value.a[0], "__proto__"), false);
  assert.equal(value.a[0].admin, undefined);
  assert.equal(({} as any).x, undefined);
});

test("the first answer counts, and nothing is done after it", { skip }, async () => {
  const { value, requests } = await raw(
    `say('{"id":0,"result":1}\\n{"id":0,"result":2}\\n{"id":1,"method":"http","params":' + JSON.stringify(get) + '}\\ngarbage')`,
  );
  assert.equal(value, 1);
  assert.deepEqual(requests, []);
});

test("arguments of a wrong kind are answered with an error, not with a crash", { skip }, async () => {
  const { value } = await raw(`
    const tries = [
      run.http.get(5), run.http.request("GET / HTTP/1.1\\r\\nX: y", "/"), run.http.get("/", { headers: { a: { b: 1 } } }),
      run.http.get("/", { timeoutMs: -1 }), run.http.get("/", { redirect: "anywhere" }), run.sql.query({}), run.shell.run("git", [1]),
      run.shell.run(["sh"]), run.call(null), run.call("x", [1]), run.cache.get({}), run.cache.get("k".repeat(5000)), run.secrets.store("x"), run.keychain.read(1) ];
    return Promise.all(tries.map((one) => one.then(() => "done", (error) => error.code)))`);
  const expected = Array(14).fill("BAD_INPUT");
  expected[2] = "done"; // headers are made text
  assert.deepEqual(value, expected);
});

test("a host that asks for much and reads nothing is ended", { skip }, async () => {
  const http = async () => ({ status: 200, url: "/", headers: [], body: Buffer.alloc(12 * 1024 * 1024, 97) });
  const { outcome } = await raw(
    `let id = 0; for (let round = 0; round < 40; round++) { ask(++id, "http", get); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40); }`,
    { serve: { http }, limits: { openRequests: 4 } },
  );
  assert.equal(outcome.kind === "stopped" && outcome.why, "crashed", JSON.stringify(outcome));
});

test("the same from Python", { skip: noPython }, async () => {
  for (const frame of [
    "hello",
    '{"id":9,"method":"http","params":{}}',
    '{"id":1,"result":1}',
    '{"id":1,"method":"x"}',
  ]) {
    const { outcome } = await runSkill(
      pool,
      {
        "skill.py": `import os, time\ndef go():\n    os.write(4, ${JSON.stringify(frame)}.encode() + b"\\n")\n    time.sleep(10)`,
      },
      "go",
    );
    assert.equal(outcome.kind === "stopped" && outcome.why, "crashed", frame);
  }
});
