import { DeputyError, type Identity } from "../../kernel/index.ts";
import { Database } from "../../platform/index.ts";

export type Shelf = "cache" | "data";

/** What skills remember between runs, each for itself and each identity apart. */
export interface SkillState extends Disposable {
  read(shelf: Shelf, skill: string, identity: Identity | null): Record<string, unknown>;
  get(shelf: Shelf, skill: string, identity: Identity | null, key: string): unknown;
  /** Null takes a key away. */
  merge(
    shelf: Shelf,
    skill: string,
    identity: Identity | null,
    values: Readonly<Record<string, unknown>>,
  ): void;
  clear(shelf: Shelf, skill: string): number;
}

const SCHEMA = `CREATE TABLE IF NOT EXISTS state (
  shelf TEXT NOT NULL, skill TEXT NOT NULL, domain TEXT NOT NULL, identifier TEXT NOT NULL, key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (shelf, skill, domain, identifier, key)
) STRICT, WITHOUT ROWID`;

const WHERE = "shelf = ? AND skill = ? AND domain = ? AND identifier = ?";
const LARGEST_VALUE = 4 * 1024 * 1024;
const MOST_KEYS = 10_000;

export function createSkillState(path: string): SkillState {
  const db = new Database({ path, synchronous: "NORMAL" });
  db.exec(SCHEMA);
  const place = (shelf: Shelf, skill: string, identity: Identity | null) =>
    [shelf, skill, identity?.domain ?? "", identity?.identifier ?? ""] as const;

  return {
    read(shelf, skill, identity) {
      const rows = db.all(`SELECT key, value FROM state WHERE ${WHERE}`, ...place(shelf, skill, identity));
      return Object.fromEntries(rows.map((row) => [String(row["key"]), JSON.parse(String(row["value"]))]));
    },
    get(shelf, skill, identity, key) {
      const at = place(shelf, skill, identity);
      const row = db.get(`SELECT value FROM state WHERE ${WHERE} AND key = ?`, ...at, key);
      return row === undefined ? null : JSON.parse(String(row["value"]));
    },
    merge(shelf, skill, identity, values) {
      const at = place(shelf, skill, identity);
      db.transaction(() => {
        for (const [key, value] of Object.entries(values)) {
          if (value === null || value === undefined) {
            db.run(`DELETE FROM state WHERE ${WHERE} AND key = ?`, ...at, key);
            continue;
          }
          const text = JSON.stringify(value);
          if (text.length > LARGEST_VALUE || key.length > 1024) throw tooMuch(skill);
          db.run("INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?, ?, ?)", ...at, key, text);
        }
        const count = db.get(`SELECT count(*) AS n FROM state WHERE ${WHERE}`, ...at);
        if (Number(count?.["n"]) > MOST_KEYS) throw tooMuch(skill);
      });
    },
    clear(shelf, skill) {
      return db.transaction(() => {
        const found = db.get("SELECT count(*) AS n FROM state WHERE shelf = ? AND skill = ?", shelf, skill);
        db.run("DELETE FROM state WHERE shelf = ? AND skill = ?", shelf, skill);
        return Number(found?.["n"]);
      });
    },
    [Symbol.dispose]: () => db.close(),
  };
}

function tooMuch(skill: string): DeputyError {
  return new DeputyError("TOO_LARGE", `${skill} wants to remember more than it may`, {
    hint: `At most ${LARGEST_VALUE} bytes a value and ${MOST_KEYS} values. See deputy skills clear ${skill} --cache`,
  });
}
