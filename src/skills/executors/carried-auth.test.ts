import assert from "node:assert/strict";
import { test } from "node:test";
import { http1Server } from "../../../test/support/http-servers.ts";
import { noJail, TestSkill } from "../../../test/support/test-skill.ts";

const KEY = "canary-key-77d1e0a4b2c9";
const NESTED = "canary-nested-51c0e8d7";
const INNER = "canary-inner-of-json-9a02";
const caesar = (text: string) => text.replaceAll(/./g, (one) => String.fromCharCode(one.charCodeAt(0) + 1));

async function open(operations: Record<string, object>) {
  const server = await http1Server((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { url = "", headers } = request;
      response.setHeader("content-type", "application/json");
      const last = new URL(url, "http://x").pathname.split("/").at(-1);
      response.end(JSON.stringify({ url, last, headers, body: Buffer.concat(chunks).toString() }));
    });
  });
  const base_url = `http://api.shop.test:${server.port}`;
  const auth = { type: "api_key", header: { "X-Key": ".auth.key" } };
  const skill = await TestSkill.load(
    { connections: { api: { base_url, auth } }, operations },
    { names: ["api.shop.test"] },
  );
  skill.allow = () => true;
  skill.lender.store("shop.test", "ann", "api_key", {
    key: KEY,
    extra: { tokens: [{ token: NESTED }], account: JSON.stringify({ private_key: INNER }) },
  });
  return {
    skill,
    async [Symbol.asyncDispose]() {
      await skill[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const disguised = ".auth.key | explode | map(. + 1) | implode";
const slices = Object.fromEntries([0, 7, 14, 21].map((at) => [`p${at}`, `.auth.key[${at}:${at + 7}]`]));

test("What a template makes of the login is masked in the answer like the login itself", async () => {
  await using it = await open({
    header: { rest: { url: "/echo", headers: { "X-A": disguised, "X-B": "fixed text" } } },
    query: { rest: { url: "/echo", query: { a: disguised } } },
    body: { rest: { method: "POST", url: "/echo", body: { a: [{ b: disguised }], c: "fixed text" } } },
    text: { rest: { method: "POST", url: "/echo", encoding: "text", body: `"<<" + (${disguised}) + ">>"` } },
    name: { rest: { method: "POST", url: "/echo", body: `{(${disguised}): 1}` } },
    url: { rest: { url: `"/echo/" + (((.auth.key // "") | explode | map(. + 1)) | implode)` } },
    sliced: { rest: { method: "POST", url: "/echo", body: slices } },
    asked: {
      graphql: { endpoint: "/echo", query: "query($a: String) { a }", variables: { a: disguised } },
    },
  });
  for (const [name] of it.skill.skill.operations) {
    const answer = (await it.skill.run(name)) as Record<string, unknown> | null;
    const shown = JSON.stringify(answer);
    for (const secret of [KEY, caesar(KEY)]) {
      for (let at = 0; at + 7 <= secret.length; at += 7)
        assert.ok(!shown.includes(secret.slice(at, at + 7)), `${name}: ${shown}`);
    }
    if (name === "header" || name === "body") assert.match(shown, /fixed text/);
  }
});

test("A login in pieces too small to be masked is not sent", async () => {
  await using it = await open({
    codes: { rest: { method: "POST", url: "/echo", body: { codes: ".auth.key | explode" } } },
    letters: { rest: { method: "POST", url: "/echo", body: '.auth.key / "" | to_entries' } },
    some: {
      rest: { method: "POST", url: "/echo", body: { n: ".auth.key | length", has: ".auth.key != null" } },
    },
  });
  for (const name of ["codes", "letters"]) await assert.rejects(it.skill.run(name), { code: "DENIED" });
  assert.match(JSON.stringify(await it.skill.run("some")), /23/);
});

test("Secrets inside a row's value are masked, however deep", async () => {
  await using it = await open({
    echo: { params: { a: "string" }, rest: { url: "/echo", query: { a: ".params.a" } } },
  });
  for (const secret of [KEY, NESTED, INNER]) {
    const shown = JSON.stringify(await it.skill.run("echo", { params: { a: secret } }));
    assert.ok(!shown.includes(secret), shown);
  }
});

test("A command that says again what it was told shows none of it", { skip: noJail }, async () => {
  await using it = await open({
    cat: { command: { binary: "cat", stdin: disguised } },
    nested: { command: { binary: "cat", stdin: ".auth.extra.tokens[0].token" } },
  });
  assert.equal(await it.skill.run("cat"), "[redacted]");
  assert.equal(await it.skill.run("nested"), "[redacted]");
});
