import { DeputyError, type Identity } from "../../kernel/index.ts";
import { Database } from "../../platform/index.ts";
import type { Skill } from "../skill.ts";

export type Shelf = "cache" | "data";

/** Whose memory it is: another skill may take the same id, and what the first one knew is not its to know. */
export type Rememberer = Pick<Skill, "id" | "origin" | "folder">;

/** What skills remember between runs, each for itself and each identity apart. */
export interface SkillState extends Disposable {
  read(shelf: Shelf, skill: Rememberer, identity: Identity | null): Record<string, unknown>;
  get(shelf: Shelf, skill: Rememberer, identity: Identity | null, key: string): unknown;
  /** Null takes a key away. */
  merge(
    shelf: Shelf,
    skill: Rememberer,
    identity: Identity | null,
    values: Readonly<Record<string, unknown>>,
  ): void;
  /** Of every skill that has or had this id. */
  clear(shelf: Shelf, id: string): number;
}

const SCHEMA = `CREATE TABLE IF NOT EXISTS memory (
  shelf TEXT NOT NULL, skill TEXT NOT NULL, place TEXT NOT NULL, domain TEXT NOT NULL, identifier TEXT NOT NULL,
  key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (shelf, skill, place, domain, identifier, key)
) STRICT, WITHOUT ROWID`;

const WHERE = "shelf = ? AND skill = ? AND place = ? AND domain = ? AND identifier = ?";
const LARGEST_VALUE = 4 * 1024 * 1024;
const MOST_KEYS = 10_000;

export function createSkillState(path: string): SkillState {
  const db = new Database({ path, synchronous: "NORMAL" });
  db.exec(SCHEMA);
  // It did not say where its skills came from, so that nobody can be given what it holds.
  db.exec("DROP TABLE IF EXISTS state");
  const place = (shelf: Shelf, skill: Rememberer, identity: Identity | null) =>
    [shelf, skill.id, placeOf(skill), identity?.domain ?? "", identity?.identifier ?? ""] as const;

  return {
    read(shelf, skill, identity) {
      const rows = db.all(`SELECT key, value FROM memory WHERE ${WHERE}`, ...place(shelf, skill, identity));
      return Object.fromEntries(rows.map((row) => [String(row["key"]), JSON.parse(String(row["value"]))]));
    },
    get(shelf, skill, identity, key) {
      const at = place(shelf, skill, identity);
      const row = db.get(`SELECT value FROM memory WHERE ${WHERE} AND key = ?`, ...at, key);
      return row === undefined ? null : JSON.parse(String(row["value"]));
    },
    merge(shelf, skill, identity, values) {
      const at = place(shelf, skill, identity);
      db.transaction(() => {
        for (const [key, value] of Object.entries(values)) {
          if (value === null || value === undefined) {
            db.run(`DELETE FROM memory WHERE ${WHERE} AND key = ?`, ...at, key);
            continue;
          }
          const text = JSON.stringify(value);
          if (text.length > LARGEST_VALUE || key.length > 1024) throw tooMuch(skill.id);
          db.run("INSERT OR REPLACE INTO memory VALUES (?, ?, ?, ?, ?, ?, ?)", ...at, key, text);
        }
        const count = db.get(`SELECT count(*) AS n FROM memory WHERE ${WHERE}`, ...at);
        if (Number(count?.["n"]) > MOST_KEYS) throw tooMuch(skill.id);
      });
    },
    clear(shelf, id) {
      return db.transaction(() => {
        const found = db.get("SELECT count(*) AS n FROM memory WHERE shelf = ? AND skill = ?", shelf, id);
        db.run("DELETE FROM memory WHERE shelf = ? AND skill = ?", shelf, id);
        return Number(found?.["n"]);
      });
    },
    [Symbol.dispose]: () => db.close(),
  };
}

/** The bundled folder moves with every version of Deputy. */
function placeOf({ origin, folder }: Rememberer): string {
  return origin === "bundled" ? origin : `${origin}:${folder}`;
}

function tooMuch(skill: string): DeputyError {
  return new DeputyError("TOO_LARGE", `${skill} wants to remember more than it may`, {
    hint: `At most ${LARGEST_VALUE} bytes a value and ${MOST_KEYS} values. See deputy skills clear ${skill} --cache`,
  });
}
