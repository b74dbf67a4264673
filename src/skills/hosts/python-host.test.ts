import assert from "node:assert/strict";
import { createCipheriv } from "node:crypto";
import { after, test } from "node:test";
import { hostPool, noFullJail, noPython, runSkill } from "../../../test/support/skill-host.ts";
import { DeputyError } from "../../kernel/index.ts";
import { createJail } from "../../platform/index.ts";

const skip = noPython;
const pool = hostPool({ size: 2 });
after(() => pool[Symbol.asyncDispose]());

const py = (source: string, name = "go", changes = {}) =>
  runSkill(pool, { "skill.py": source }, name, changes);
const body = (lines: string, changes = {}) =>
  py(
    `from agentos import *\nimport agentos\ndef go(**params):\n${lines
      .trim()
      .split("\n")
      .map((line) => `    ${line}`)
      .join("\n")}`,
    "go",
    changes,
  );

test("keyword arguments arrive as they are, and what the signature asks for besides", { skip }, async () => {
  const context = { params: { a: 1 }, auth: { cookies: "handle" }, connection: { id: "api", vars: {} } };
  const plain = await py("def go(a, b=2):\n    return [a, b]", "go", { context, args: { a: 1.5 } });
  assert.deepEqual(plain.value, [1.5, 2]);
  const some = await py("def go(a, *, auth, connection=None):\n    return [a, auth, connection]", "go", {
    context,
    args: { a: [1] },
  });
  assert.deepEqual(some.value, [[1], context.auth, context.connection]);
  const any = await py(
    'def go(a, **rest):\n    return [a, sorted(rest), rest["auth"], rest["_call"]("other", {"x": 1})]',
    "go",
    { context, args: { a: 1 } },
  );
  assert.deepEqual(any.value, [
    1,
    ["_call", "auth", "connection"],
    context.auth,
    { operation: "other", params: { x: 1 } },
  ]);
});

test("a function of one params dict gets it under any name", { skip }, async () => {
  const whole = { params: { a: 1 }, auth: { cookies: "handle" }, connection: null };
  for (const name of ["params", "ctx"]) {
    const { value } = await py(`def go(${name}, _call=None):\n    return [${name}, _call("x")]`, "go", {
      call: "params",
      args: whole,
      context: whole,
    });
    assert.deepEqual(value, [whole, { operation: "x", params: {} }]);
  }
  const named = await py("def go(params):\n    return params", "go", { context: whole });
  assert.deepEqual(named.value, { a: 1, ...whole });
});

test("a response is a dict and an object, awaited or not", { skip }, async () => {
  const { value, requests } = await body(`
r = http.get("/a", params={"q": "a b", "l": [1, 2], "n": None}, headers={"X-A": 1})
assert isinstance(r, dict) and r["status"] == r.status_code == 200 and r["ok"] and r.ok
assert r["json"] == r.json() and r.text == r["body"] and r.content.decode() == r.text
assert r.headers["x-TWICE"] == "a, b" and r["headers"].get("Content-Type") == "application/json"
assert r.get("nothing", 1) == 1 and "json" in r and r.raise_for_status() is r
http.post("/p", json={"n": 1}, cookies="handle", timeout=2.5)
http.put("/f", data={"a": "1&2"})
http.patch("/r", data=b"\\x00\\xff")
http.post("/m", files={"file": ("n.txt", "x")}, data={"k": "v"})
http.delete("/d"); http.head("/h"); http.request("options", "/o")
return [r.url, r]`);
  assert.equal(value[0], "https://service.test/a?q=a%20b&l=1&l=2");
  assert.equal(value[1].status, 200);
  const [get, post, form, raw, multipart, , , options] = requests;
  assert.deepEqual(get, { method: "GET", url: "/a?q=a%20b&l=1&l=2", headers: [["X-A", "1"]] });
  assert.equal(Buffer.from(post!.body!).toString(), '{"n":1}');
  assert.equal(post!.cookies, "handle");
  assert.equal(post!.timeoutMs, 2500);
  assert.equal(Buffer.from(form!.body!).toString(), "a=1%262");
  assert.deepEqual([...raw!.body!], [0, 255]);
  assert.match(Buffer.from(multipart!.body!).toString(), /name="k"\r\n\r\nv\r\n[^]*filename="n.txt"/);
  assert.equal(options!.method, "OPTIONS");
});

test("header knobs survive every way skills pass them on", { skip }, async () => {
  const { requests } = await body(`
http.get("/1", **http.headers(waf="cloudflare", mode="cors", accept="json", extra={"X-E": "e"}))
conf = http.headers(waf="vercel"); conf["http2"] = True
http.get("/2", **conf)
http.get("/3", headers={**http.headers(waf="cf")["headers"], "X": "y"})
with http.client(headers=http.headers(mode="navigate"), skip_cookies=["k"]) as c:
    c.get("/4", headers={"X": "z"})
with http.client(cookies="handle", **http.headers(waf="cf", ua="safari-desktop")) as c:
    c.get("/5", **http.headers(accept="html"))
http.get("/6", jar=False, mode="browser", follow_redirects=False)`);
  assert.deepEqual(
    requests.map((request) =>
      Object.fromEntries(Object.entries(request).filter(([name]) => name !== "method" && name !== "url")),
    ),
    [
      { headers: [["X-E", "e"]], dress: { waf: "cf", mode: "fetch", accept: "json" }, http2: true },
      { headers: [], dress: { waf: "vercel" }, http2: true },
      { headers: [["X", "y"]], dress: { waf: "cf" } },
      { headers: [["X", "z"]], dress: { mode: "navigate" }, session: true, skipCookies: ["k"] },
      {
        headers: [],
        dress: { waf: "cf", ua: "safari-desktop", accept: "html" },
        cookies: "handle",
        session: true,
        http2: true,
      },
      { headers: [], mode: "browser", jar: "none", redirect: "manual" },
    ],
  );
});

test("the same calls work in async functions, and there they run at the same time", { skip }, async () => {
  let open = 0;
  let most = 0;
  const http = async () => {
    most = Math.max(most, ++open);
    await new Promise((done) => setTimeout(done, 5));
    open--;
    return { status: 200, url: "https://x.test/", headers: [], body: Buffer.from("[1]") };
  };
  const { value } = await py(
    `
import asyncio
from agentos import http, client, sql, shell, progress, crypto, connection, returns
connection("portal", base_url="https://x.test", auth={"type": "cookies"}, mode="browser")
@returns("x")
@connection("portal")
async def go(_call=None, **params):
    many = await asyncio.gather(*[http.get(f"/{i}") for i in range(40)])
    task = asyncio.create_task(client.get("/t"))
    async with http.client() as c:
        one = await c.get("/c")
    unawaited = http.get("/u")
    await progress(1, 2)
    rows, out = await asyncio.gather(sql.query("q"), shell.run("git", ["log"]))
    key = await crypto.pbkdf2("peanuts", "saltysalt", 1, 16)
    return [len(many), (await task)["json"], one.json(), unawaited["status"], rows[0]["asked"], out["stdout"],
            key.hex(), (await _call("x"))["operation"]]
`,
    "go",
    { serve: { http }, limits: { openRequests: 8 } },
  );
  assert.deepEqual(value, [40, [1], [1], 200, "q", "git log", "fd621fe5a2b402539dfa147ca9272778", "x"]);
  assert.ok(most > 1 && most <= 8, String(most));
});

test("what a sibling returns can be awaited, whatever it is", { skip }, async () => {
  const results = [null, true, false, 0, 1.5, "", [], {}];
  const { value } = await py(
    `
async def go(_call=None):
    out = []
    for i in range(${results.length}):
        awaited, kept = await _call("op", {"i": i}), _call("op", {"i": i})
        out.append([awaited, kept, bool(kept) == bool(awaited), kept == awaited])
    return out`,
    "go",
    { serve: { call: async (_: string, params: { i: number }) => results[params.i] } },
  );
  assert.deepEqual(
    value,
    results.map((result) => [result, result, true, true]),
  );
});

test("sql, shell, keychain, oauth and progress are messages", { skip }, async () => {
  const { value, progress, logs } = await body(
    `
progress(1, 3, "one"); agentos.progress.progress(2, 3); progress("just words"); progress.set_job_id("x")
print("said")
rows = sql.query("SELECT :a", db="~/x.db", params={"a": 1}, attach={"o": "~/o.db"})
ran = shell.run("git", ["log", 5], cwd="/r", input="in", timeout=3)
from agentos.macos import keychain as older
return [rows, ran["exit_code"], ran["stdout"], ran["stderr"], keychain.read("s", "a"), older.read("s", binary=True),
        oauth.exchange("https://x.test/token", refresh_token="h", client_id="c")["method"]]`,
    { serve: { keychain: async () => Buffer.from("kept\n") } },
  );
  assert.deepEqual(value.slice(1), [
    0,
    "git log 5",
    "in",
    "kept",
    Buffer.from("kept\n").toString("hex"),
    "POST",
  ]);
  assert.deepEqual(value[0][0].params, { a: 1 });
  assert.deepEqual(value[0][0].attach, { o: "~/o.db" });
  assert.deepEqual(progress, [
    { current: 1, total: 3, message: "one" },
    { current: 2, total: 3 },
    { message: "just words" },
  ]);
  assert.deepEqual(logs, ["info said"]);
});

test("errors keep their message, their code and the skill's own lines", { skip }, async () => {
  const files = {
    "skill.py": "from lib import deep\n\ndef go():\n    return deep.deep()\n",
    "lib/__init__.py": "",
    "lib/deep.py": 'import json\ndef deep():\n    raise RuntimeError("SESSION_EXPIRED: signed out")\n',
  };
  assert.deepEqual((await runSkill(pool, files, "go")).outcome, {
    kind: "threw",
    name: "RuntimeError",
    message: "SESSION_EXPIRED: signed out",
    stack: "deep (lib/deep.py:3)\ngo (skill.py:4)",
  });
  const typed = await body('raise agentos.SessionExpired("gone")');
  assert.deepEqual(typed.outcome.kind === "threw" && [typed.outcome.message, typed.outcome.code], [
    "SESSION_EXPIRED: gone",
    "SESSION_EXPIRED",
  ]);
  const denied = await body('http.get("/")', {
    serve: { http: () => Promise.reject(new DeputyError("DENIED", "Not that host")) },
  });
  assert.deepEqual(denied.outcome.kind === "threw" && [denied.outcome.message, denied.outcome.code], [
    "Not that host",
    "DENIED",
  ]);
  const syntax = await py("x = 1\ndef go(:\n");
  assert.equal(syntax.outcome.kind === "threw" && syntax.outcome.stack, "skill.py:2");
  const exit = await body("import sys; sys.exit(3)");
  assert.equal(exit.outcome.kind === "threw" && exit.outcome.name, "SystemExit");
  const missing = await py("x = 1");
  assert.equal(
    missing.outcome.kind === "threw" && missing.outcome.message,
    "skill.py has no function named go",
  );
});

test("what Python has and JSON has not is returned as what it stands for", { skip }, async () => {
  const { value } = await body(`
import datetime, decimal, dataclasses, enum, uuid, pathlib
@dataclasses.dataclass
class D:
    x: int
class E(enum.Enum):
    a = "A"
yields = (i for i in range(2))
return {"d": datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc), "n": float("nan"), "c": decimal.Decimal("1.50"),
        "s": {1}, "t": (1, 2), "k": {1: "one", None: 0}, "b": b"\\x00", "o": D(1), "e": E.a, "p": pathlib.Path("/x"), "g": yields, "u": "\\ud800"}`);
  assert.deepEqual(
    { ...value, u: undefined },
    {
      d: "2026-01-02T03:04:05+00:00",
      n: null,
      c: 1.5,
      s: [1],
      t: [1, 2],
      k: { "1": "one", null: 0 },
      b: "AA==",
      o: { x: 1 },
      e: "A",
      p: "/x",
      g: [0, 1],
      u: undefined,
    },
  );
  assert.deepEqual((await py("def go():\n    yield 1\n    yield 2")).value, [1, 2]);
  assert.deepEqual((await py("async def go():\n    yield 1\n    yield 2")).value, [1, 2]);
  const { outcome } = await body("return object()");
  assert.match(outcome.kind === "threw" ? outcome.message : "", /a object cannot be returned/);
});

test("helpers read what services write", { skip }, async () => {
  const { value } = await body(`
return [molt("<b>Hello</b>  world &amp; all"), molt("N/A"), molt("hasn't added any details yet"), molt("1,234 reviews", int),
        molt("2.5K", int), molt("4.5 out of 5", float), molt("August 2010", "date"), molt("December 13, 2024", "date"),
        molt(1616025600000, "date"), parse_int("none"), parse_int("12 Bananas"), clean_html("<p>a</p><p>b<br>c</p>"), molt(None),
        normalize_email("Ann <ANN@X.test>"), normalize_phone("(555) 010-9999"), normalize_phone("+44 20 7946 0000"),
        normalize_handle("https://x.test/@Ann?s=1"), url.build("https://x.test/a", "b", {"q": "1 2"}), http.parse_url("https://x.test/p?a=1#f")["query"],
        skill_result(status="code_sent"), skill_error("no", status=401), skill_secret("x.test", "a", "api_key", {"key": "k"}),
        get_cookies({"auth": {"cookies": "h"}}), parse_cookie("a=1; b=2", "b")]`);
  assert.deepEqual(value, [
    "Hello world & all",
    null,
    null,
    1234,
    2500,
    4.5,
    "2010-08",
    "2024-12-13",
    "2021-03-18T00:00:00Z",
    null,
    12,
    "a\n\nb\nc",
    null,
    "ann@x.test",
    "+15550109999",
    "+442079460000",
    "ann",
    "https://x.test/a/b?q=1%202",
    { a: "1" },
    { __result__: { status: "code_sent" } },
    { __result__: { error: "no", status: 401 } },
    { domain: "x.test", identifier: "a", item_type: "api_key", value: { key: "k" } },
    "h",
    "2",
  ]);
  const none = await body('require_cookies(params, "list_orders")');
  assert.equal(none.outcome.kind === "threw" && none.outcome.name, "ValueError");
});

test("AES and property lists are read as other programs wrote them", { skip }, async () => {
  const keys = [16, 24, 32].map((size) => Buffer.from(Array.from({ length: size }, (_, i) => i * 7)));
  const iv = Buffer.alloc(16, 0x20);
  const sealed = keys.map((key) => {
    const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, iv);
    return {
      key: key.toString("hex"),
      data: Buffer.concat([cipher.update("seventeen bytes !"), cipher.final()]).toString("hex"),
    };
  });
  const { value } = await body(
    `
import plistlib
opened = [crypto.aes(data=s["data"], key=s["key"], iv="20" * 16).decode() for s in params["sealed"]]
again = [crypto.aes(data=o.encode(), key=bytes.fromhex(s["key"]), iv=b" " * 16, decrypt=False).hex() for o, s in zip(opened, params["sealed"])]
archive = plistlib.dumps({"$objects": ["$null", "token", {"NS.string": "id"}]}, fmt=plistlib.FMT_BINARY)
return [opened, again == [s["data"] for s in params["sealed"]], crypto.aes_decrypt(params["sealed"][0]["key"], params["sealed"][0]["data"], "20" * 16),
        plist.parse(archive.hex(), extract={"t": 1, "i": 2, "x": 9}), plist.parse(plistlib.dumps({"a": 1}))]`,
    { args: { sealed } },
  );
  const text = "seventeen bytes !";
  assert.deepEqual(value, [
    [text, text, text],
    true,
    Buffer.from(text).toString("hex"),
    { t: "token", i: "id", x: null },
    { a: 1 },
  ]);
});

test("decorators keep what they were told and change nothing", { skip }, async () => {
  const { value } = await py(`
from agentos import returns, connection, timeout, provides, test, claims, web_read, shape
@returns("x[]")
@connection(["a", "b"])
@timeout(60)
@provides(web_read, urls=["x.test/*"])
@test(params={"q": 1})
@test.skip
@claims
def go(**params) -> shape.Book:
    return go.__agentos__
`);
  assert.deepEqual(value, {
    claims: true,
    "test.skip": true,
    test: { args: [], params: { q: 1 } },
    provides: { args: ["web_read"], urls: ["x.test/*"] },
    timeout: 60,
    connection: ["a", "b"],
    returns: "x[]",
  });
});

test("siblings import by name, relatively, and from a module with a dash in its name", { skip }, async () => {
  const { value } = await runSkill(
    pool,
    {
      "get-it.py":
        "import other\nfrom .other import x\nfrom agentos import http\ndef go():\n    return [x, other.x, http.__name__]",
      "other.py": "x = 1",
    },
    "go",
  );
  assert.deepEqual(value, [1, 1, "agentos.http"]);
});

test("without a Python, or a jail for it, the skill is refused in words", async () => {
  const files = { "skill.py": "def go():\n    return 1" };
  {
    await using none = hostPool({ python: async () => undefined });
    const refused = runSkill(none, files, "go");
    await assert.rejects(refused, noFullJail === false ? /no Python 3\.9/ : /no sandbox/);
  }
  await using reduced = hostPool({ jail: await createJail({ env: {} }) });
  await assert.rejects(runSkill(reduced, files, "go"), { code: "UNSUPPORTED" });
});

test("threads may ask too", { skip }, async () => {
  const { value } = await body(`
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as workers:
    return sorted(workers.map(lambda i: http.get(f"/{i}").json()["url"], range(30)))[0]`);
  assert.equal(value, "/0");
});
