import { existsSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import type { Jail, JailExit } from "../jail/index.ts";
import { jailedProgram } from "../jailed-program.ts";
import type { SqlAnswer, SqlJob } from "./sql-job.ts";

export interface SqlLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly rows: number;
  readonly bytes: number;
}

export const sqlLimits: SqlLimits = {
  timeoutMs: 30_000,
  memoryBytes: 768 * 1024 * 1024,
  rows: 50_000,
  bytes: 16 * 1024 * 1024,
};

type Asked = SqlAnswer | { readonly kind: "stopped"; readonly exit: JailExit };

/**
 * Asks SQLite files of other programs in a process that has nothing else and can be killed: no call into SQLite returns
 * before its query ends. Paths are absolute, without links; who may name them was decided before.
 */
export async function queryInJail(
  { jail, node }: { readonly jail: Jail; readonly node: string },
  job: Omit<SqlJob, "rows" | "bytes">,
  { signal, limits = sqlLimits }: { readonly signal?: AbortSignal; readonly limits?: SqlLimits } = {},
): Promise<Asked> {
  const { rows, bytes, memoryBytes, timeoutMs } = limits;
  const here = import.meta.dirname;
  const suffix = extname(import.meta.filename);
  const program = jailedProgram({
    node,
    main: join(here, `main${suffix}`),
    code: [here, ...["database-image", "wal", "journal"].map((name) => join(here, "..", name + suffix))],
    memoryBytes,
  });
  const files = Object.values(job.attach).flatMap(withPending);
  const { stdout, exit } = await jail.run({
    argv: program.argv,
    env: program.env,
    read: [...program.read, ...files, ...(job.write ? [] : withPending(job.database))],
    // SQLite makes its journal beside the file.
    write: job.write ? [dirname(job.database)] : [],
    limits: {
      wallMs: timeoutMs,
      memoryBytes,
      processes: 32,
      outputBytes: bytes * 2 + 65_536,
      fileBytes: 1024 ** 3,
    },
    input: JSON.stringify({ ...job, rows, bytes } satisfies SqlJob),
    ...(signal === undefined ? {} : { signal }),
  });
  if (exit.stopped !== null || exit.status !== 0) return { kind: "stopped", exit };
  return JSON.parse(stdout.toString()) as SqlAnswer;
}

function withPending(path: string): string[] {
  return [
    path,
    ...["-wal", "-shm", "-journal"].map((suffix) => path + suffix).filter((file) => existsSync(file)),
  ];
}
