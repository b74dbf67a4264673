import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { DeputyError } from "../../../kernel/index.ts";
import { writeFileAtomic } from "../../../platform/index.ts";
import { clientKinds, type Way } from "./clients.ts";
import { knownClients } from "./find-clients.ts";
import { clientNames, install, snippet, uninstall } from "./install.ts";
import { isEmptyDocument, readMember, removeMember, setMember } from "./jsonc.ts";
import { removeTable, setTable } from "./toml.ts";

const WAY: Way = { kind: "stdio", command: ["/opt/node", "/opt/deputy", "mcp"], env: {} };
const OTHER: Way = {
  kind: "stdio",
  command: ["/new/node", "/new/deputy", "mcp"],
  env: { DEPUTY_HOME: "/d" },
};
const EDITED = ["claude-code", "cursor", "codex"] as const;

class Desk implements Disposable {
  readonly #folder = temporaryFolder("install");
  readonly parts = {
    places: {
      platform: "linux" as const,
      home: this.#folder.path,
      config: join(this.#folder.path, ".config"),
      env: {},
    },
    write: writeFileAtomic,
  };

  file(client: string): string {
    return clientKinds[client]!.file(this.parts.places);
  }

  put(client: string, text: string): string {
    const file = this.file(client);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

const JSON_FILES: Record<string, string> = {
  "other servers": '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  },\n  "theme": "dark"\n}\n',
  "comments and trailing commas":
    '// mine\n{\n  /* all of them */\n  "mcpServers": {\n    "other": { "command": "x", }, // keep\n  },\n}\n',
  "no servers yet": '{ "theme": "dark" }',
  "an empty list": '{"mcpServers":{}}',
  "an empty object": "{}",
  "a comment alone inside": '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
  tabs: '{\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}\n',
  "lines of Windows and a byte-order mark":
    '\uFEFF{\r\n  "mcpServers": {\r\n    "other": {"command": "x"}\r\n  }\r\n}\r\n',
  "all in one line":
    '{"a":[1,{"mcpServers":{}}],"mcpServers":{"other":{"command":"x","args":["//not a comment"]}},"z":"}"}',
  "text that looks like ours": '{"note": "\\"deputy\\": {}", "mcpServers": {"x": {"deputy": 1}}}',
};

for (const [what, text] of Object.entries(JSON_FILES)) {
  test(`settings with ${what} gain our entry, lose nothing, and are restored byte for byte`, () => {
    using desk = new Desk();
    const file = desk.put("cursor", text);
    const done = install("cursor", WAY, desk.parts);
    assert.equal(done.changed, true);
    const now = readFileSync(file, "utf8");
    assert.deepEqual(readMember(now, ["mcpServers", "deputy"]), {
      command: "/opt/node",
      args: ["/opt/deputy", "mcp"],
    });
    for (const comment of text.match(/\/\/ \w+|\/\*.*?\*\//g) ?? [])
      assert.ok(now.includes(comment), comment);
    if (text.includes('"other"'))
      assert.ok(JSON.stringify(readMember(now, ["mcpServers", "other"])).includes('"x"'));
    assert.equal(readFileSync(String(done.backup), "utf8"), text);
    assert.equal(install("cursor", WAY, desk.parts).changed, false, "again changes nothing");
    assert.equal(readFileSync(file, "utf8"), now);
    assert.equal(uninstall("cursor", desk.parts).changed, true);
    assert.equal(readFileSync(file, "utf8"), text);
    assert.equal(existsSync(String(done.backup)), false);
    assert.equal(uninstall("cursor", desk.parts).changed, false);
  });
}

for (const client of EDITED) {
  test(`${client}: a file that was not there is made, private, and gone again`, () => {
    using desk = new Desk();
    const done = install(client, WAY, desk.parts);
    assert.equal(done.backup, null);
    assert.match(readFileSync(done.file, "utf8"), /deputy/);
    assert.equal(statSync(done.file).mode & 0o777, 0o600);
    uninstall(client, desk.parts);
    assert.equal(existsSync(done.file), false);
  });

  test(`${client}: a new place replaces the old one; what others added since stays`, () => {
    using desk = new Desk();
    const file = desk.put(client, client === "codex" ? 'model = "x"\n' : '{"a": 1}\n');
    install(client, WAY, desk.parts);
    const added = readFileSync(file, "utf8");
    const more =
      client === "codex" ? `${added}\n[later]\nb = 2\n` : setMember(added, ["mcpServers", "later"], { b: 2 });
    writeFileSync(file, more);
    assert.equal(install(client, OTHER, desk.parts).changed, true);
    const now = readFileSync(file, "utf8");
    assert.match(now, /\/new\/deputy/);
    assert.doesNotMatch(now, /\/opt\/deputy/);
    uninstall(client, desk.parts);
    const left = readFileSync(file, "utf8");
    assert.doesNotMatch(left, /deputy/);
    assert.match(left, /later/);
    assert.match(left, client === "codex" ? /model = "x"/ : /"a": 1/);
  });

  test(`${client}: a file that is read-only or broken is left as it is, and the error says so`, () => {
    using desk = new Desk();
    const broken = client === "codex" ? 'mcp_servers.deputy = { command = "x" }\n' : '{"mcpServers": {';
    const file = desk.put(client, broken);
    assert.throws(
      () => install(client, WAY, desk.parts),
      (error: DeputyError) => error.code === "BAD_CONFIG" && error.message.includes(file),
    );
    assert.equal(readFileSync(file, "utf8"), broken);
    const fine = client === "codex" ? "" : "{}";
    writeFileSync(file, fine);
    chmodSync(file, 0o400);
    assert.throws(
      () => install(client, WAY, desk.parts),
      (error: DeputyError) => error.code === "READ_ONLY",
    );
    assert.equal(readFileSync(file, "utf8"), fine);
    assert.equal(existsSync(`${file}.deputy-backup`), false);
  });
}

test("settings behind a link stay behind it, and keep their mode", () => {
  using desk = new Desk();
  const real = join(desk.parts.places.home, "dotfiles.json");
  writeFileSync(real, "{}", { mode: 0o644 });
  const file = desk.file("cursor");
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(real, file);
  install("cursor", WAY, desk.parts);
  assert.match(readFileSync(real, "utf8"), /deputy/);
  assert.equal(statSync(real).mode & 0o777, 0o644);
  uninstall("cursor", desk.parts);
  assert.equal(readFileSync(real, "utf8"), "{}");
});

test("over HTTP the entry has the address and the token in a header", () => {
  using desk = new Desk();
  const way: Way = { kind: "http", url: "http://127.0.0.1:8808/mcp", token: "deputy_x" };
  install("claude-code", way, desk.parts);
  assert.deepEqual(JSON.parse(readFileSync(desk.file("claude-code"), "utf8")).mcpServers.deputy, {
    type: "http",
    url: way.url,
    headers: { Authorization: "Bearer deputy_x" },
  });
  install("codex", way, desk.parts);
  assert.match(
    readFileSync(desk.file("codex"), "utf8"),
    /http_headers = \{ Authorization = "Bearer deputy_x" \}/,
  );
});

test("every client's entry can be shown; only some are written", () => {
  using desk = new Desk();
  for (const client of clientNames) {
    const { file, text } = snippet(client, WAY, desk.parts.places);
    assert.ok(file.startsWith(desk.parts.places.home), file);
    assert.match(text, /\/opt\/deputy/);
    if ((EDITED as readonly string[]).includes(client)) continue;
    assert.throws(() => install(client, WAY, desk.parts), /does not edit/);
  }
  assert.throws(() => snippet("emacs", WAY, desk.parts.places), /does not know/);
});

test("a client is here by its settings, their folder or its program; Deputy is in them once it was added", () => {
  using desk = new Desk();
  const { places } = desk.parts;
  const look = (...programs: string[]) =>
    knownClients({ way: WAY, places, hasProgram: (name) => programs.includes(name) });
  const names = (...programs: string[]) =>
    look(...programs).flatMap(({ client, found }) => (found ? [client] : []));
  assert.deepEqual(names(), []);
  assert.deepEqual(names("claude", "emacs"), ["claude-code"]);
  mkdirSync(join(places.home, ".codex"));
  desk.put("cursor", "{");
  assert.deepEqual(names(), ["cursor", "codex"]);
  for (const client of EDITED) {
    if (client === "cursor") writeFileSync(desk.file("cursor"), "{}");
    const present = () => look().find((one) => one.client === client)?.present;
    assert.equal(present(), false, client);
    install(client, WAY, desk.parts);
    assert.equal(present(), true, client);
    install(client, OTHER, desk.parts);
    assert.equal(present(), false, `${client}: another Deputy is not this one`);
  }
});

const TOML_FILES: Record<string, string> = {
  "comments and other tables":
    '# mine\nmodel = "x" # keep\n\n[mcp_servers.other]\ncommand = "y"\n\n[profiles.fast]\nmodel = "z"\n',
  "our name in a text": 'notes = """\n[mcp_servers.deputy]\n"""\n',
  "an array over lines": 'notify = [\n  ["mcp_servers.deputy"]\n]\n[x]\ny = 1\n',
  "a quoted name of ours":
    '[mcp_servers."deputy"]\ncommand = "old"\n[mcp_servers."deputy".env]\nA = "1"\n\n# of the next\n[x]\n',
  "lines of Windows": 'model = "x"\r\n[a]\r\nb = 1\r\n',
};

for (const [what, text] of Object.entries(TOML_FILES)) {
  test(`TOML with ${what}: our table is the only one that changes`, () => {
    const now = setTable(text, "mcp_servers", "deputy", { command: '"new"' });
    assert.equal(now.match(/^\[mcp_servers\.deputy\]\r?\ncommand = "new"/gm)?.length, 1);
    assert.doesNotMatch(now, /"old"|A = "1"/);
    for (const kept of text.match(/^(#.*|model.*|y = 1|\[x\]|\[a\]|command = "y"|.*"""|.*\["mcp.*)$/gm) ??
      []) {
      assert.ok(now.includes(kept.trimEnd()), kept);
    }
    assert.equal(setTable(now, "mcp_servers", "deputy", { command: '"new"' }), now);
    const gone = removeTable(now, "mcp_servers", "deputy");
    if (!text.includes('"old"')) assert.equal(gone.trimEnd(), text.trimEnd());
  });
}

test("a member that is set can be read, and taking it out gives the same settings as before", () => {
  // By way of text: JSON has no -0.
  const value = fc
    .json({ maxDepth: 3 })
    .map((text): unknown => JSON.parse(text))
    .filter((one) => !JSON.stringify(one).includes("__proto__"));
  const settings = fc.dictionary(
    fc.string().filter((key) => key !== "__proto__"),
    value,
    { maxKeys: 4 },
  );
  const indent = fc.constantFrom(0, 2, 4, "\t");
  fc.assert(
    fc.property(settings, settings, indent, value, (rest, servers, space, entry) => {
      const { deputy: _, ...others } = servers;
      const before = { ...rest, mcpServers: others };
      const text = JSON.stringify(before, null, space);
      const now = setMember(text, ["mcpServers", "deputy"], entry);
      assert.deepEqual(JSON.parse(now), { ...before, mcpServers: { ...others, deputy: entry } });
      assert.deepEqual(JSON.parse(removeMember(now, ["mcpServers", "deputy"])), before);
    }),
    { numRuns: 500 },
  );
  assert.equal(isEmptyDocument('{"mcpServers": {}}\n'), true);
  assert.equal(isEmptyDocument('{"mcpServers": {"a": 1}}'), false);
});
