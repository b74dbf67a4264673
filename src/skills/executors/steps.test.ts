import assert from "node:assert/strict";
import { createCipheriv, pbkdf2Sync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fails } from "../../../test/support/fails.ts";
import { http1Server } from "../../../test/support/http-servers.ts";
import { noKeyring, startPrivateKeyring } from "../../../test/support/private-keyring.ts";
import { noJail, TestSkill } from "../../../test/support/test-skill.ts";
import { createJail, runProcess } from "../../platform/index.ts";

const skip = noJail;
const code = { module: "./x.py", function: "f" };
const csv = (input: string, more: object = {}) => ({ csv: { input, ...more } });

test("steps run in their order and see the results before them by their ids", async () => {
  await using server = await http1Server((request, response) => {
    response.setHeader("Content-Type", "application/json");
    const id = request.url?.split("/").at(-1);
    response.end(
      JSON.stringify(request.url === "/items" ? [{ id: 1 }, { id: 2 }, { id: 3 }] : { id, full: true }),
    );
  });
  const steps = [
    { id: "list", rest: { url: "/items" } },
    { id: "never", skip_if: "(.list | length) > 2", rest: { url: "/never" } },
    {
      id: "each",
      for_each: ".list",
      skip_if: ".item.id == 2",
      rest: { url: '"/item/" + (.item.id | tostring)', response: { mapping: { got: ".id" } } },
    },
  ];
  await using skill = await TestSkill.load(
    {
      connections: { api: { base_url: `http://shop.test:${server.port}` } },
      operations: {
        last: { steps },
        mapped: {
          steps,
          response: {
            transform: "{count: (.list | length), got: [.each[] | values | .got], never}",
            inject: { q: ".params.q", first: ".list[0].id" },
          },
        },
        rooted: { steps, response: { root: "each[2].got" } },
        added: { steps: [steps[0]], response: { static: { kind: "thing" } } },
      },
    },
    { names: ["shop.test"] },
  );
  assert.deepEqual(await skill.run("last"), [{ got: "1" }, null, { got: "3" }]);
  const mapped = await skill.run("mapped", { params: { q: "x" } });
  assert.deepEqual(mapped, { count: 3, got: ["1", "3"], never: null, q: "x", first: 1 });
  assert.equal(await skill.run("rooted"), "3");
  assert.deepEqual(
    await skill.run("added"),
    [1, 2, 3].map((id) => ({ id, kind: "thing" })),
  );
});

test("code in steps is run as code, with the scope of its place", async () => {
  await using skill = await TestSkill.load({
    operations: {
      both: {
        steps: [
          { id: "a", python: { ...code, args: { x: ".params.x" } } },
          { id: "b", for_each: "[1, 2]", typescript: { ...code, args: { a: ".a" } } },
        ],
      },
    },
  });
  const seen: unknown[] = [];
  const result = await skill.run("both", {
    params: { x: 1 },
    runCode: async (executor, { scope }) => {
      seen.push([executor.kind, scope["a"], scope["item"]]);
      return seen.length;
    },
  });
  assert.deepEqual(result, [2, 3]);
  assert.deepEqual(seen, [
    ["python", undefined, undefined],
    ["typescript", 1, 1],
    ["typescript", 1, 2],
  ]);
});

test("a step's own time ends it, and a cancelled run starts no further step", { skip }, async () => {
  const iterations = 10_000_000;
  const derive = { algorithm: "pbkdf2", password: "a", salt: "b", iterations, key_length: 1024 };
  await using skill = await TestSkill.load({
    operations: {
      slow: {
        timeout: 30,
        steps: [{ id: "wait", command: { binary: "sleep", args: ["100"], timeout: 0.4 } }],
      },
      bomb: { timeout: 1, steps: [{ id: "key", crypto: derive }] },
    },
  });
  skill.allow = () => true;
  await fails(skill.run("slow"), "TIMEOUT", /shop slow: step wait took longer than 0\.4 s/);
  await fails(skill.run("bomb"), "TIMEOUT", /shop bomb took longer than 1 s/);
  const start = performance.now();
  await fails(
    skill.run("bomb", { signal: AbortSignal.timeout(100) }),
    "CANCELLED",
    /shop bomb was cancelled/,
  );
  assert.ok(performance.now() - start < 5000);
});

test("crypto derives and opens what a browser on macOS sealed, many in one process", { skip }, async () => {
  const key = pbkdf2Sync("peanuts", "saltysalt", 1003, 16, "sha1");
  const iv = Buffer.alloc(16, " ");
  const seal = (text: string | Buffer) => {
    const cipher = createCipheriv("aes-128-cbc", key, iv);
    return Buffer.concat([cipher.update(text), cipher.final()]).toString("hex");
  };
  const aes = { algorithm: "aes-128-cbc", key: ".key", iv: iv.toString("hex"), input: ".item" };
  await using skill = await TestSkill.load({
    operations: {
      open: {
        steps: [
          {
            id: "key",
            crypto: {
              algorithm: "pbkdf2",
              password: ".params.password",
              salt: "saltysalt",
              iterations: 1003,
              key_length: 16,
            },
          },
          { id: "open", for_each: ".params.sealed", skip_if: '.item == ""', crypto: aes },
        ],
      },
    },
  });
  const params = {
    password: "peanuts",
    sealed: [seal("first"), "", seal(Buffer.from([0xff, 0])), seal("ü")],
  };
  assert.deepEqual(await skill.run("open", { params }), ["first", null, { base64: "/wA=" }, "ü"]);
  const wrong = { ...params, password: "canary-password" };
  await fails(
    skill.run("open", { params: wrong }),
    "BAD_INPUT",
    /shop open: aes-128-cbc: the input does not open/,
  );
  const bad = { ...params, sealed: ["canary-not-hex"] };
  await fails(skill.run("open", { params: bad }), "BAD_INPUT", /the input is not hexadecimal/);
});

test("csv reads RFC 4180, and says what is wrong without quoting it", { skip }, async () => {
  const text = '\uFEFFid,name\r\n1,"a ""b"", c\r\nd"\r\n2,\n\n3\r\n';
  await using skill = await TestSkill.load({
    operations: {
      named: { steps: [{ id: "a", ...csv(".params.t") }] },
      plain: { steps: [{ id: "a", ...csv(".params.t", { header: false, delimiter: ";" }) }] },
    },
  });
  const named = (t: string) => skill.run("named", { params: { t } });
  assert.deepEqual(await named(text), [
    { id: "1", name: 'a "b", c\r\nd' },
    { id: "2", name: "" },
    { id: "3", name: null },
  ]);
  assert.deepEqual(await skill.run("plain", { params: { t: 'a;b,c;\n"";x' } }), [
    ["a", "b,c", ""],
    ["", "x"],
  ]);
  assert.deepEqual(await named(""), []);
  await fails(named('a\n"canary'), "BAD_INPUT", /shop named: csv: a quoted field has no end/);
  await fails(named('a,b\n"canary"x'), "BAD_INPUT", /line 2 has text after a closing quote/);
  await fails(named("a\n1,canary"), "BAD_INPUT", /more fields than the header/);
});

test("without a jail steps that touch no file still run, and sql and commands do not", async () => {
  await using skill = await TestSkill.load({
    connections: { local: { sqlite: "~/data.db" } },
    operations: {
      csv: { steps: [{ id: "a", ...csv("a\n1") }] },
      sql: { sql: { query: "SELECT 1" } },
      command: { command: { binary: "true" } },
    },
  });
  skill.allow = () => true;
  writeFileSync(join(skill.home, "data.db"), "");
  skill.parts = { ...skill.parts, jail: await createJail({ env: { PATH: "/nonexistent" } }) };
  assert.equal(skill.parts.jail.level, "reduced");
  assert.deepEqual(await skill.run("csv"), [{ a: "1" }]);
  for (const name of ["sql", "command"]) await fails(skill.run(name), "UNSUPPORTED", /Cannot jail/);
});

const noSecrets = process.platform === "linux" ? noKeyring : "a Secret Service is Linux's";

test("keychain reads another program's password where the owner allows it", { skip: noSecrets }, async () => {
  const keychain = { service: ".params.service", account: "me" };
  const operations = {
    read: { params: { service: "string" }, steps: [{ id: "secret", keychain }] },
    any: { steps: [{ id: "secret", keychain: { service: "App Safe Storage" } }] },
  };
  await using skill = await TestSkill.load({ operations });
  await using keyring = await startPrivateKeyring();
  const attributes = ["service", "App Safe Storage", "account", "me"];
  await runProcess(["secret-tool", "store", "--label", "App", ...attributes], {
    env: keyring.env,
    input: "canary-password",
  });
  skill.parts = { ...skill.parts, env: keyring.env };
  const read = (service: string) => skill.run("read", { params: { service } });
  await fails(read("App Safe Storage"), "DENIED", /nobody allowed it to read the keychain/);
  skill.allow = (need) => need.kind === "binary" && need.name === "keychain";
  assert.equal(await read("App Safe Storage"), "canary-password");
  assert.equal(await skill.run("any"), "canary-password");
  await fails(read("Other"), "NOT_FOUND", /the keychain has nothing for Other/);
  skill.parts = { ...skill.parts, env: { PATH: "/nonexistent" } };
  const error = await fails(
    read("Other"),
    "UNSUPPORTED",
    /the keychain cannot be read: secret-tool is not installed/,
  );
  assert.match(error.hint ?? "", /libsecret-tools/);
});
