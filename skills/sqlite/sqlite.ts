import type { Run } from "deputize/skill";

interface Column {
  readonly table_name: string;
  readonly kind: string;
  readonly column_name: string;
  readonly column_type: string;
  readonly key: number;
}

export function query({ sql, params }: Run) {
  return sql.query(params["sql"], { db: params["file"], params: params["values"] ?? [] });
}

export function execute({ sql, params }: Run) {
  return sql.query(params["sql"], { db: params["file"], params: params["values"] ?? [], write: true });
}

export async function listTables({ sql, params }: Run) {
  const columns = await sql.query<Column>(
    `SELECT t.name AS table_name, t.type AS kind, c.name AS column_name, c.type AS column_type, c.pk AS key
     FROM pragma_table_list t JOIN pragma_table_info(t.name) c
     WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY t.name, c.cid`,
    { db: params["file"] },
  );
  const tables = Map.groupBy(columns, (column) => column.table_name);
  return [...tables].map(([name, rows]) => ({
    name,
    kind: rows[0]?.kind,
    columns: rows.map((row) => ({
      name: row.column_name,
      type: row.column_type,
      ...(row.key > 0 ? { primary_key: true } : {}),
    })),
  }));
}
