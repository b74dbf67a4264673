import { DeputyError } from "../../kernel/index.ts";
import type { Database } from "../../platform/index.ts";

const FORMAT = 1;

/**
 * Integer keys stand for everything: for entities, for words (shapes, fields, labels) and for who said something.
 * A change keeps what was before it and nothing else; what came after is the state it is undone from.
 * The text index has no copy of the texts.
 */
const TABLES = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE words (key INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
  CREATE TABLE origins (
    key INTEGER PRIMARY KEY, agent TEXT NOT NULL, skill TEXT, operation TEXT, domain TEXT, identifier TEXT,
    actor INTEGER, source INTEGER
  );
  CREATE UNIQUE INDEX origins_all ON origins (
    agent, coalesce(skill, ''), coalesce(operation, ''), coalesce(domain, ''), coalesce(identifier, '')
  );
  CREATE TABLE entities (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, shape INTEGER NOT NULL, extra TEXT,
    created INTEGER NOT NULL, updated INTEGER NOT NULL, deleted INTEGER, merged_into INTEGER,
    changes INTEGER NOT NULL
  );
  CREATE INDEX entities_merged ON entities (merged_into) WHERE merged_into IS NOT NULL;
  CREATE INDEX entities_deleted ON entities (deleted) WHERE deleted IS NOT NULL;
  CREATE TABLE tags (shape INTEGER, entity INTEGER, PRIMARY KEY (shape, entity)) WITHOUT ROWID;
  CREATE TABLE entity_values (
    entity INTEGER, field INTEGER, value, origin INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (entity, field)
  ) WITHOUT ROWID;
  CREATE TABLE identities (identity TEXT PRIMARY KEY, entity INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE links (
    source INTEGER, label INTEGER, target INTEGER, origin INTEGER NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (source, label, target)
  ) WITHOUT ROWID;
  CREATE INDEX links_target ON links (target, label);
  CREATE TABLE changes (
    key INTEGER PRIMARY KEY, target INTEGER NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, action TEXT NOT NULL,
    origin INTEGER NOT NULL, diff TEXT
  );
  CREATE UNIQUE INDEX changes_target ON changes (target, n);
  CREATE VIRTUAL TABLE entity_text USING fts5 (
    name, body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
  );
  INSERT INTO entity_text (entity_text, rank) VALUES ('rank', 'bm25(8.0, 1.0)');
`;

/** Makes the tables in a new file; refuses a file of a later Deputy. */
export function prepareSchema(db: Database): void {
  db.transaction(() => {
    const found = Number(db.get("PRAGMA user_version")?.["user_version"]);
    if (found === FORMAT) return;
    if (found !== 0) {
      throw new DeputyError("DATABASE_CORRUPT", `Cannot use ${db.path}: it was written by a newer Deputy`, {
        hint: "Update this Deputy first.",
      });
    }
    db.exec(TABLES);
    db.exec(`PRAGMA user_version = ${FORMAT}`);
  });
}
