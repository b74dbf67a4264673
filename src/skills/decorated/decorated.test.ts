import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fails } from "../../../test/support/fails.ts";
import { writeSkill } from "../../../test/support/skill-folder.ts";
import { jail, noPython } from "../../../test/support/skill-host.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createExpressions } from "../../expressions/index.ts";
import { readEnvironment } from "../../platform/index.ts";
import { findPython } from "../hosts/find-python.ts";
import { SkillLibrary } from "../library/skill-library.ts";
import { createSyntaxReader, declareSkill, declaringFiles, splitReadme } from "./index.ts";

const skip = noPython;
const parts = { jail: async () => jail, python: () => findPython(readEnvironment()) };
const reader = createSyntaxReader(parts);

async function declared(files: Record<string, string>) {
  const all = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  const { source, problems } = declareSkill(await reader(declaringFiles(all)), undefined);
  const data = source.data as Record<string, Record<string, any>>;
  return { source, problems, connections: data["connections"] ?? {}, operations: data["operations"] ?? {} };
}

test("Values are written out, or put together from what is; everything else is left out and said", {
  skip,
}, async () => {
  using folder = temporaryFolder("declared");
  const proof = join(folder.path, "ran");
  const { connections, problems } = await declared({
    "a.py": `
from agentos import connection as link
import agentos, os
open(${JSON.stringify(proof)}, "w").write("ran")
HOST = "api.x.test"
BASE: str = f"https://{HOST}" + "/v1"
KEY = {"x-api-key": ".auth.key"}
main = link("api", base_url=BASE, auth={"type": "api_key", "header": {**KEY, "X-More": "1"}}, optional=True)
agentos.connection(name="db", sqlite="~/x.db", vars=dict(n=-3, list=[1, 2.5, None], t=(True,)))
link("lost", base_url=os.environ["HOST"])
link("told", base_url="https://t.test", label=os.name)
link(os.name)
if True:
    link("inside", **{"base_url": "https://i.test"})
def never():
    link("never", base_url="https://n.test")
`,
  });
  assert.ok(!existsSync(proof), "nothing of it ran");
  assert.deepEqual(connections, {
    api: {
      base_url: "https://api.x.test/v1",
      auth: { type: "api_key", header: { "x-api-key": ".auth.key", "X-More": "1" } },
      optional: true,
    },
    db: { sqlite: "~/x.db", vars: { n: -3, list: [1, 2.5, null], t: [true] } },
    told: { base_url: "https://t.test" },
    inside: { base_url: "https://i.test" },
  });
  assert.deepEqual(
    problems.map(({ line, message }) => [line, message.split(" ").slice(0, 5).join(" ")]),
    [
      [10, "base_url of the connection lost"],
      [11, "label of the connection told"],
      [12, "this connection has no name"],
    ],
  );
});

test("Functions with decorators of the package are operations, whatever it is called there", {
  skip,
}, async () => {
  const { operations, source } = await declared({
    "one.py": `
from agentos import returns as gives, test, timeout, connection, shape, provides
from other import claims
import functools
@gives("post[]")
@test(params={"q": 1}, mode="write")
@timeout(seconds=900)
@connection(["a", "b"])
def first(q: "str | None", many: "list[int]" = (), *, some: dict = None, **rest): "Says. Twice."
@gives(shape.BookReview)
@functools.lru_cache
async def second(params, auth=None, _call=None):
    wanted = params.get("params") or {}
    return [params["page"], wanted.get("size", 10), params.get("auth")]
@gives("x")
def _private(): ...
@claims("x")
def foreign(): ...
def plain(): ...
`,
    "notes/_draft.py": "from agentos import returns\n@returns('x')\ndef a(): ...\n",
    "_old/b.py": "from agentos import returns\n@returns('x')\ndef b(): ...\n",
    "test_one.py": "from agentos import returns\n@returns('x')\ndef c(): ...\n",
  });
  assert.deepEqual(Object.keys(operations), ["first", "second", "a"]);
  assert.deepEqual(operations["first"], {
    description: "Says. Twice.",
    connection: ["a", "b"],
    returns: "post[]",
    timeout: 600,
    params: {
      q: { type: "string", required: true },
      many: { type: "integer[]", required: false, default: [] },
      some: { type: "object", required: false },
    },
    python: { module: "./one.py", function: "first" },
    test: { params: { q: 1 }, mode: "write" },
  });
  assert.equal(operations["second"]?.["returns"], "book_review");
  assert.deepEqual(operations["second"]?.["params"], {
    page: { type: "json", required: false },
    size: { type: "integer", required: false },
  });
  assert.deepEqual(source.at(["operations", "first", "params", "q", "type"]), {
    file: "one.py",
    line: 9,
    column: 11,
  });
});

test("What is not Python costs a file, and what is made to hold up the reader only itself", {
  skip,
}, async () => {
  const deep = `from agentos import returns\n@returns(${"[".repeat(5000)}${"]".repeat(5000)})\ndef a(): ...\n`;
  const { operations, problems } = await declared({
    "bad.py": "from agentos import returns\n@returns('x')\ndef f(:\n",
    "deep.py": deep,
    "good.py": "from agentos import returns\n@returns('x')\ndef good(): ...\n",
  });
  assert.deepEqual(Object.keys(operations), ["good"]);
  assert.deepEqual(
    problems.map(({ file, severity }) => [file, severity]),
    [
      ["bad.py", "error"],
      ["deep.py", "error"],
    ],
  );
  assert.equal(problems[0]?.line, 3);
  const text = `A = "${"x".repeat(1000)}"\n${"A = A + A\n".repeat(60)}${'B = f"{A}{A}"\nA = B\n'.repeat(60)}`;
  const swelling = await declared({
    "swell.py": `from agentos import connection\n${text}connection("a", base_url=A)\n`,
  });
  assert.ok(JSON.stringify(swelling.connections).length < 200_000);
});

test("What was read is kept, and read again only where the files are others", { skip }, async () => {
  using folder = temporaryFolder("shelf");
  let asked = 0;
  const python = async () => {
    asked += 1;
    return parts.python();
  };
  const files = (text: string) =>
    new Map([["a.py", Buffer.from(`from agentos import returns\n@returns("${text}")\ndef a(): ...\n`)]]);
  const shelf = join(folder.path, "syntax");
  const first = await createSyntaxReader({ ...parts, python, folder: shelf })(files("x"));
  const second = await createSyntaxReader({ ...parts, python, folder: shelf })(files("x"));
  assert.deepEqual([second, asked, readdirSync(shelf).length], [first, 1, 1]);
  await createSyntaxReader({ ...parts, python, folder: shelf })(files("y"));
  assert.deepEqual([asked, readdirSync(shelf).length], [2, 2]);
});

test("A skill that waits for Python is there once Python is", { skip }, async () => {
  using folder = temporaryFolder("later");
  writeSkill(join(folder.path, "snake"), {
    "snake.py": 'from agentos import returns\n@returns("void")\ndef hiss(): ...\n',
  });
  let installed = false;
  const python = async () => (installed ? parts.python() : undefined);
  const syntax = createSyntaxReader({ ...parts, python });
  await using expressions = createExpressions();
  const library = new SkillLibrary({
    bundled: folder.path,
    home: "/nowhere",
    added: () => [],
    expressions,
    syntax: async () => syntax,
  });
  await fails(library.get("snake"), "SKILL_BROKEN", /declared in Python, and there is none here/);
  installed = true;
  assert.deepEqual([...(await library.get("snake")).operations.keys()], ["hiss"]);
});

test("The head of a readme keeps its lines", () => {
  const { front, body } = splitReadme("---\nid: a\nname: A\n---\n\n# A\n");
  assert.deepEqual([front?.split("\n")[1], body], ["id: a", "# A\n"]);
  assert.deepEqual(splitReadme("# A\n---\nb\n---\n").front, null);
});
