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

/** Made when the first lease is taken: vaults are older than leases. */
export const LEASES = `CREATE TABLE leases (
    domain TEXT NOT NULL,
    identifier TEXT NOT NULL,
    purpose TEXT NOT NULL,
    holder BLOB NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (domain, identifier, purpose)
  ) STRICT`;

/** Whether a file has these tables and nothing else: no trigger, no view, no column of somebody else's. */
export function isSchema(statements: readonly unknown[]): boolean {
  const ours = SCHEMA.split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
  const theirs = statements.filter((statement) => typeof statement === "string" && statement !== LEASES);
  return theirs.length === ours.length && ours.every((statement) => theirs.includes(statement));
}
