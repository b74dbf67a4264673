/** What local skills look into: a database, a repository with its own git, and the histories of two browsers. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export function localFiles(root: string) {
  const database = join(root, "ducks.db");
  write(
    database,
    "CREATE TABLE duck (id INTEGER PRIMARY KEY, name TEXT, size INT); INSERT INTO duck VALUES (1, 'Teal', 1), (2, 'Eider', 5)",
  );

  const repository = join(root, "repository");
  mkdirSync(repository);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args], {
      cwd: repository,
      env: { PATH: process.env["PATH"], HOME: root, GIT_CONFIG_NOSYSTEM: "1" },
    });
  git("init", "-q", "-b", "main");
  writeFileSync(join(repository, "a.txt"), "birds\nducks\n");
  git("add", ".");
  git("commit", "-q", "-m", "First step\n\nWith a reason");
  writeFileSync(join(repository, "a.txt"), "birds\nducks\ngeese\n");
  git("commit", "-q", "-am", "Second");
  git("reset", "-q", "--soft", "HEAD~1");
  git("restore", "-q", "--staged", ".");
  writeFileSync(join(repository, "new file.txt"), "");

  // As Chromium 156 and Firefox 140 lay them out, as far as the skill looks.
  const chromium = join(root, ".config/chromium");
  const firefox = join(root, ".mozilla/firefox");
  const day = Date.UTC(2026, 10, 1, 12);
  const since1601 = (ms: number) => (BigInt(ms) + 11_644_473_600_000n) * 1000n;
  mkdirSync(join(chromium, "Default"), { recursive: true });
  write(
    join(chromium, "Default/History"),
    `CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT, title TEXT, hidden INT);
     CREATE TABLE visits (id INTEGER PRIMARY KEY, url INT, visit_time INT, visit_duration INT);
     INSERT INTO urls VALUES (1, 'https://ducks.example/', 'All about ducks', 0), (2, 'https://geese.example/', 'Geese', 0);
     INSERT INTO visits VALUES (1, 1, ${since1601(day - 1000)}, 0), (2, 1, ${since1601(day)}, 3000000), (3, 2, ${since1601(day)}, 0)`,
  );
  mkdirSync(join(firefox, "x1.default"), { recursive: true });
  write(
    join(firefox, "x1.default/places.sqlite"),
    `CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT, title TEXT, hidden INT);
     CREATE TABLE moz_historyvisits (id INTEGER PRIMARY KEY, place_id INT, visit_date INT);
     INSERT INTO moz_places VALUES (1, 'https://foxes.example/', 'Foxes', 0);
     INSERT INTO moz_historyvisits VALUES (1, 1, ${day * 1000})`,
  );
  return { database, repository, chromium, firefox };
}

function write(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}
