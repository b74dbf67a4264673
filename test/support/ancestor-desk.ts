/** A runner with the ancestor's fixture skills, the services they talk to, and a login at each. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseCookie } from "../../src/cookies/index.ts";
import { ancestorServices, CANARY, HOSTS } from "./ancestor-services.ts";
import type { LoopbackServer } from "./http-servers.ts";
import type { Files } from "./skill-folder.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { TestRunner } from "./test-runner.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/ancestor");

/** By skill: the login's domain, and what else the owner says yes to. */
export type Granted = Readonly<Record<string, readonly [string | null, ...string[]]>>;

const KEYS = "bookmarks tracker weather notes finder issues publish".split(" ");
const COOKIES = [
  ["bank.test", "bank"],
  ["shop.test", "shop_session"],
  ["members.test", "sid"],
  ["library.test", "_session_id2"],
  ["assistant.test", "sessionKey"],
] as const;

export class AncestorDesk implements AsyncDisposable {
  readonly all: TestRunner;
  readonly server: LoopbackServer;
  readonly home: string;
  readonly #folder: Disposable;
  readonly #grants: Granted;

  private constructor(
    all: TestRunner,
    server: LoopbackServer,
    folder: Disposable & { path: string },
    grants: Granted,
  ) {
    this.all = all;
    this.server = server;
    this.home = folder.path;
    this.#folder = folder;
    this.#grants = grants;
  }

  /** With the skills of some of the fixtures' folders. */
  static async open(kinds: readonly string[], grants: (home: string) => Granted): Promise<AncestorDesk> {
    const server = await ancestorServices();
    const folder = temporaryFolder("ancestor");
    const desk = new AncestorDesk(await TestRunner.open(HOSTS), server, folder, grants(folder.path));
    for (const path of kinds.flatMap((kind) => foldersOf(join(FIXTURES, kind))))
      desk.all.skill(path.split("/").at(-1) ?? "", desk.#filesOf(path));
    makeFiles(folder.path);
    const { desk: lender } = desk.all;
    for (const name of KEYS) lender.store(`${name}.test`, "una", "api_key", { key: CANARY });
    lender.store("registrar.test", "una", "api_key", { key: CANARY, secret: `${CANARY}2` });
    for (const domain of ["mail.test", "wall.test"])
      lender.store(domain, "una", "oauth", { access_token: CANARY });
    for (const [domain, name] of COOKIES) {
      const cookies = [name, "tracker"].map((one) => parseCookie({ name: one, value: CANARY, domain }));
      lender.store(domain, "una", "cookies", { cookies, gone: [] });
    }
    return desk;
  }

  get skipped(): string | false {
    const { level, reason } = this.all.jail;
    return level === "full" ? false : `there is no jail here: ${reason ?? ""}`;
  }

  async grant(skill: string): Promise<void> {
    const [domain = null, ...allow] = this.#grants[skill] ?? [];
    await this.all.grant(skill, domain, { allow: allow as never });
  }

  async run(skill: string, operation: string, params: Record<string, unknown> = {}): Promise<unknown> {
    await this.grant(skill);
    const { data } = await this.all.run(skill, operation, params);
    assert.ok(!JSON.stringify(data).includes(CANARY), `${skill} ${operation} shows its login`);
    return data;
  }

  /** With the port of this run's server, and files below a folder of its own. */
  #filesOf(folder: string): Files {
    const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
    const text = (name: string) =>
      readFileSync(join(folder, name), "utf8")
        .replaceAll(":8080", `:${this.server.port}`)
        .replaceAll("@HOME@", this.home);
    return Object.fromEntries(names.map((name) => [name, text(name)]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.all[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

function foldersOf(folder: string): string[] {
  const names = readdirSync(folder);
  if (names.some((name) => /\.(py|yaml|md)$/.test(name))) return [folder];
  return names.flatMap((name) => foldersOf(join(folder, name)));
}

function makeFiles(folder: string): void {
  const make = (name: string, statements: string) => {
    const database = new DatabaseSync(join(folder, name));
    database.exec(statements);
    database.close();
  };
  make(
    "chat.db",
    "CREATE TABLE rooms(id, name); CREATE TABLE messages(id INTEGER, room_id, body, sent, author);" +
      "INSERT INTO rooms VALUES (1, 'den'), (2, 'hall');" +
      "INSERT INTO messages VALUES (1, 1, 'hello', '2026-01-01', 'ada'), (2, 1, 'again', '2026-01-02', 'bob')",
  );
  make(
    "calls.db",
    "CREATE TABLE calls(id, number, seconds, at);" +
      "INSERT INTO calls VALUES (1, '030 1234567', 60, 5), (2, '+15551234567', 0, 9)",
  );
  make(
    "history.db",
    "CREATE TABLE urls(url, title, visits, last);" +
      "INSERT INTO urls VALUES ('https://a.test/', 'A', 3, 13411796645000000), ('https://b.test/', 'B', 1, 1)",
  );
  writeFileSync(
    join(folder, "notes-cache.json"),
    '{"notes": [{"id": "c1", "title": "Kept", "text": "offline"}]}',
  );
  const item = { issuer: "intra.test", user: "una", title: "Intra", secret: CANARY };
  writeFileSync(join(folder, "vault.json"), JSON.stringify([item]));
}
