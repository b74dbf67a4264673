/** What `npm pack` gives, in an empty folder with an empty home: it holds what it needs, nothing else, and works there. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { InstalledPackage } from "../support/installed-package.ts";
import { noFullJail, noPython } from "../support/skill-host.ts";
import { writeSkill } from "../support/skill-folder.ts";

const tree = resolve(import.meta.dirname, "../..");
const own = JSON.parse(readFileSync(join(tree, "package.json"), "utf8"));
const installed = new InstalledPackage();
after(() => installed[Symbol.dispose]());

test("the package holds what it needs and nothing else", () => {
  const paths = installed.files.map(({ path }) => path);
  const strays = paths.filter((path) => !/^(adapters|bin|dist|docs|shapes|skills)\/|^[^/]+$/.test(path));
  const unwanted = paths.filter((path) =>
    /\.test\.|__pycache__|\.pyc$|\.map$|(^|\/)(test|tests|fixtures|src|bench)\//.test(path),
  );
  assert.deepEqual([...strays, ...unwanted], []);
  const sources = paths.filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"));
  assert.deepEqual(
    sources.filter((path) => !path.startsWith("skills/")),
    [],
  );
  const top = paths.filter((path) => !path.includes("/")).sort();
  assert.deepEqual(top, ["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "package.json"]);
  const size = installed.files.reduce((sum, file) => sum + file.size, 0);
  assert.ok(size < 8_000_000, `${paths.length} files of ${size} bytes`);
});

test("no compiled file points at a map that is not there", () => {
  for (const { path } of installed.files) {
    if (!path.endsWith(".js")) continue;
    assert.doesNotMatch(readFileSync(join(installed.folder, path), "utf8"), /^\/\/# sourceMappingURL/m, path);
  }
});

test("every module of the package finds what it imports, and of packages only its own dependencies", () => {
  const named = new Set(Object.keys({ ...own.dependencies, ...own.optionalDependencies }));
  const missing: string[] = [];
  for (const { path } of installed.files) {
    if (!/^dist\/.*\.(js|d\.ts)$/.test(path)) continue;
    const text = readFileSync(join(installed.folder, path), "utf8");
    for (const [, what = ""] of text.matchAll(
      /^(?:import|export)\b[^"']*?from "([^"]+)"|\bimport\("([^"]+)"\)/gm,
    )) {
      if (what === "" || what.startsWith("node:")) continue;
      const name = what
        .split("/")
        .slice(0, what.startsWith("@") ? 2 : 1)
        .join("/");
      const found = what.startsWith(".")
        ? existsSync(join(installed.folder, dirname(path), declared(path, what)))
        : named.has(name) || what === "deputize/skill";
      if (!found) missing.push(`${path}: ${what}`);
    }
  }
  assert.deepEqual(missing, []);
});

/** A declaration names the source of another. */
function declared(from: string, what: string): string {
  return from.endsWith(".d.ts") ? what.replace(/(?<!\.d)\.ts$/, ".d.ts") : what;
}

test("its commands work there, from the first one on", () => {
  assert.equal(installed.ok(["--version"]).trim(), own.version);
  assert.match(installed.ok(["run", "--help"]), /Example:/);
  installed.ok(["setup", "--key", "file", "--yes"]);
  const skills = JSON.parse(installed.ok(["skills", "list", "--json"])) as { id: string; status: string }[];
  assert.ok(skills.length > 15);
  assert.deepEqual(
    skills.filter(({ status }) => status === "broken"),
    [],
  );
  assert.match(installed.ok(["mcp", "call", "readme", "{}"]), /Deputy/);
  installed.ok(["graph", "create", "task"], { input: '{"name": "Pack"}' });
  assert.match(installed.ok(["graph", "search", "Pack"]), /Pack/);
  assert.match(installed.ok(["completion", "bash"]), /complete -F _deputy deputy/);
  assert.equal(
    installed.ok(["completion", "values", "operations", "sqlite"]),
    "execute\nlist_tables\nquery\n",
  );
});

test("its demo shows every promise there, and ends with nothing left", () => {
  const shown = JSON.parse(installed.ok(["demo", "--json"])) as { ok: boolean; claims: number; held: number };
  assert.ok(shown.ok && shown.claims > 0);
  assert.equal(shown.held, shown.claims);
});

test("its bundled TypeScript runs in the jail, and asks a database in another", { skip: noFullJail }, () => {
  const file = join(installed.home, "ducks.db");
  using db = new DatabaseSync(file);
  db.exec("CREATE TABLE duck (name TEXT); INSERT INTO duck VALUES ('Teal')");
  installed.ok(["grants", "add", "--skill", "sqlite", "--allow", `path:${file}`]);
  const params = JSON.stringify({ file, sql: "SELECT name FROM duck" });
  assert.deepEqual(JSON.parse(installed.ok(["run", "sqlite", "query", "--params", params, "--json"])).data, [
    { name: "Teal" },
  ]);
});

test("a skill in Python runs on the package's own half of it", { skip: noPython }, () => {
  writeSkill(join(installed.home, ".deputy", "skills", "duck"), {
    "skill.yaml": `id: duck
name: Duck
description: Speaks
operations:
  speak: { description: Speaks, connection: none, effect: read, returns: json, params: { word: { type: string } },
           python: { module: ./duck.py, function: speak } }
`,
    "duck.py":
      "from agentos import http\n\n\ndef speak(word):\n    return {'said': word, 'with': http.__name__}\n",
  });
  const ran = JSON.parse(installed.ok(["run", "duck", "speak", "-p", "word=quack", "--json"]));
  assert.equal(ran.data.said, "quack");
});

test("its doors open for other programs: the library, cookies, the sidecar and skills", () => {
  const ran = installed.module(`
    import { DeputyError, version } from "deputize";
    import { Jar } from "deputize/cookies";
    import { readSidecar } from "deputize/sidecar";
    import * as skill from "deputize/skill";
    const jar = new Jar();
    jar.set("a=1; Path=/", "https://example.com/");
    const list = await readSidecar();
    console.log(jar.header("https://example.com/"), typeof DeputyError, version, list.length, Object.keys(skill).length);`);
  assert.equal(ran.stdout, `a=1 function ${own.version} 0 0\n`, ran.stderr);
  const inside = installed.module(`await import("deputize/dist/main.js")`);
  assert.match(inside.stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/);
});

test("its doors have types, and those find all they name", () => {
  writeFileSync(
    join(installed.app, "uses.ts"),
    `import { DeputyError, type ErrorCode, openEngine } from "deputize";
     import { type Cookie, Jar } from "deputize/cookies";
     import { readSidecar } from "deputize/sidecar";
     import type { Run } from "deputize/skill";
     export const code: ErrorCode = new DeputyError("NOT_FOUND", "x").code;
     export const header: string = new Jar().header("https://example.com/");
     export const cookies: Promise<Cookie[]> = readSidecar();
     export const speak = async ({ params, http }: Run): Promise<unknown> => http.get(String(params["url"]));
     export const rows = async () => (await openEngine({ via: "cli" })).call("vault.list", {});
     // @ts-expect-error there is no such method
     export const wrong = async () => (await openEngine({ via: "cli" })).call("vault.lst", {});
     `,
  );
  const args = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "esnext",
    "--types",
    "node",
  ];
  const roots = ["--typeRoots", join(tree, "node_modules/@types")];
  const tsc = join(tree, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, ...args, ...roots, "uses.ts"], { cwd: installed.app, stdio: "pipe" });
});

test("man finds its page", () => {
  const page = readFileSync(join(installed.folder, own.man[0]), "utf8");
  assert.match(page, /^\.TH DEPUTY 1 /);
  assert.match(page, /^\.SS "deputy vault set /m);
});

test("the lock file lets every Node install what Deputy runs on its own", () => {
  const { packages } = JSON.parse(readFileSync(join(tree, "package-lock.json"), "utf8"));
  // npm leaves an optional package out, without a word, where the Node it runs on is not in its engines.
  const bound = Object.entries<any>(packages).filter(([, one]) => one.optional && one.engines !== undefined);
  assert.deepEqual(
    bound.map(([path]) => path),
    [],
    "remove `engines` from these",
  );
});
