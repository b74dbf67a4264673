import { existsSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DatabaseFiles, lookAtDatabase } from "../database-files.ts";
import type { Jail, JailExit } from "../jail/index.ts";
import { jailedProgram } from "../jailed-program.ts";
import type { ReadFrom, SqlAnswer, SqlJob, SqlReport } from "./sql-job.ts";

interface SqlLimits {
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

interface Parts {
  readonly jail: Jail;
  readonly node: string;
}

interface Options {
  readonly signal?: AbortSignal;
  readonly limits?: SqlLimits;
}

/** What the jailed program imports of the folder above its own. */
const BESIDE = ["database-files", "database-image", "wal", "journal"];
const ATTEMPTS = 5;
const PAUSE_MS = 20;

/**
 * Asks SQLite files of other programs in a process that has nothing else and can be killed: no call into SQLite returns
 * before its query ends. Paths are absolute, without links; who may name them was decided before.
 *
 * The process sees the files that were there when it started, each by itself and nothing else of their folders. What
 * their owner made or removed since is seen from here only, and such an answer not used.
 */
export async function queryInJail(
  parts: Parts,
  job: Omit<SqlJob, "rows" | "bytes">,
  options: Options = {},
): Promise<Asked> {
  const files = [...Object.values(job.attach), ...(job.write ? [] : [job.database])];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await quiet(files);
    const before = new Map(files.map((path) => [path, lookAtDatabase(path)]));
    const { asked, from } = await runOnce(parts, job, options);
    const overtaken = from.some((one) => isOvertaken(one, before.get(one.path)));
    // A file that was to be shown is gone: the jail could not be made.
    const vanished = asked.kind === "stopped" && asked.exit.stopped === null && hasOtherFiles(before);
    if (job.write || !(overtaken || vanished)) return asked;
  }
  return { kind: "failed", why: "changing", message: "another program writes the file without a pause" };
}

async function runOnce(
  { jail, node }: Parts,
  job: Omit<SqlJob, "rows" | "bytes">,
  { signal, limits = sqlLimits }: Options,
): Promise<{ asked: Asked; from: readonly ReadFrom[] }> {
  const { rows, bytes, memoryBytes, timeoutMs } = limits;
  const here = import.meta.dirname;
  const suffix = extname(import.meta.filename);
  const program = jailedProgram({
    node,
    main: join(here, `main${suffix}`),
    code: [here, ...BESIDE.map((name) => join(here, "..", name + suffix))],
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
  if (exit.stopped !== null || exit.status !== 0) return { asked: { kind: "stopped", exit }, from: [] };
  const { answer, from } = JSON.parse(stdout.toString()) as SqlReport;
  return { asked: answer, from };
}

/** Waits, not for long, until nobody is in the middle of a transaction with a -journal, which would come and go. */
async function quiet(files: readonly string[]): Promise<void> {
  for (
    let waited = 0;
    waited < 1000 && files.some((path) => lookAtDatabase(path).journal);
    waited += PAUSE_MS
  )
    await sleep(PAUSE_MS);
}

/** Whether a file's owner did something the jailed process could not see and that is not in its answer. */
function isOvertaken({ path, way, stamp }: ReadFrom, before: DatabaseFiles | undefined): boolean {
  const now = lookAtDatabase(path);
  return way === "place" ? now.stamp !== stamp : now.inodes !== before?.inodes;
}

function hasOtherFiles(before: ReadonlyMap<string, DatabaseFiles>): boolean {
  return [...before].some(([path, state]) => lookAtDatabase(path).stamp !== state.stamp);
}

function withPending(path: string): string[] {
  return [
    path,
    ...["-wal", "-shm", "-journal"].map((suffix) => path + suffix).filter((file) => existsSync(file)),
  ];
}
