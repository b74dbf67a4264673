/** The whole vault file. docs/formats/vault.md explains each column. */
export const SCHEMA = `
  CREATE TABLE header (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    format INTEGER NOT NULL,
    vault_id BLOB NOT NULL,
    provider TEXT NOT NULL,
    params TEXT NOT NULL,
    mac BLOB NOT NULL
  ) STRICT;
  CREATE TABLE ring (
    key_version INTEGER PRIMARY KEY,
    wrapped BLOB NOT NULL
  ) STRICT;
  CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    count INTEGER NOT NULL,
    tally BLOB NOT NULL,
    active_key INTEGER NOT NULL,
    mac BLOB NOT NULL
  ) STRICT;
  CREATE TABLE rows (
    domain TEXT NOT NULL,
    identifier TEXT NOT NULL,
    item_type TEXT NOT NULL,
    version INTEGER NOT NULL,
    key_version INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (domain, identifier, item_type)
  ) STRICT;
`;

/** Whether a file has these tables and nothing else: no trigger, no view, no column of somebody else's. */
export function isSchema(statements: readonly unknown[]): boolean {
  const ours = SCHEMA.split(";").map((statement) => statement.trim());
  const theirs = statements.filter((statement) => typeof statement === "string");
  return theirs.length === ours.length - 1 && theirs.every((statement) => ours.includes(statement));
}
