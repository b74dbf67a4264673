import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { authorize } from "./authorize.ts";
import { isOneStatement } from "./one-statement.ts";
import { isOfOneMoment, isSqlite, openFiles, Unsettled } from "./open-files.ts";
import type { ReadFrom, SqlAnswer, SqlFailure, SqlJob, SqlReport } from "./sql-job.ts";
import { fromSql, toSql } from "./values.ts";

const ATTEMPTS = 40;
const PAUSE_MS = 20;

// https://www.sqlite.org/rescode.html, primary codes
const BUSY = new Set([5, 6]);
const CORRUPT = new Set([11, 26]);

/** Answers one job. What SQLite or the job's author did wrong is an answer; everything else throws. */
export async function answerJob(job: SqlJob): Promise<SqlReport> {
  if (!isOneStatement(job.query)) return { answer: failed("refused", "a query is one statement"), from: [] };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(PAUSE_MS);
    const report = attemptJob(job);
    if (report !== undefined) return report;
  }
  return { answer: changing, from: [] };
}

/** Undefined where a file changed under our hands. */
function attemptJob(job: SqlJob): SqlReport | undefined {
  let refused: string | undefined;
  let from: readonly ReadFrom[] = [];
  const fail = (why: SqlFailure, message: string) => ({ answer: failed(why, message), from });
  try {
    const opened = openFiles(job.database, job.attach, job.write);
    const { db } = opened;
    from = opened.from;
    try {
      db.exec(
        `PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA query_only = ${job.write ? "OFF" : "ON"}`,
      );
      db.setAuthorizer(authorize(job.write, (what) => (refused ??= what)));
      const answer = ask(db, job);
      return isOfOneMoment(from) ? { answer, from } : undefined;
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof Unsettled) return undefined;
    if (refused !== undefined) {
      const why = job.write ? "is not allowed in a query" : "is not allowed in a query that only reads";
      return fail("refused", `${refused} ${why}`);
    }
    if (error instanceof RangeError) return fail("too-large", "the database is too large to be copied");
    if (!isSqlite(error)) throw error;
    const code = error.errcode & 0xff;
    const why = BUSY.has(code) ? "busy" : CORRUPT.has(code) ? "corrupt" : "wrong";
    return fail(why, error.message);
  }
}

function ask(db: DatabaseSync, job: SqlJob): SqlAnswer {
  let statement: StatementSync;
  try {
    statement = db.prepare(job.query);
  } catch (error) {
    if (isSqlite(error)) throw error;
    return failed("wrong", "it is not a statement");
  }
  const values = bindings(job);
  try {
    if (statement.columns().length === 0) {
      const { changes, lastInsertRowid } = statement.run(...values);
      return { kind: "changed", changes: Number(changes), lastRowid: fromSql(lastInsertRowid) };
    }
    return collect(statement.iterate(...values), job);
  } catch (error) {
    // Node's own word for a parameter the statement does not have.
    if (error instanceof Error && "code" in error && error.code === "ERR_INVALID_STATE")
      return failed("wrong", error.message);
    throw error;
  }
}

function bindings({ params }: SqlJob): [Record<string, SQLInputValue>, ...SQLInputValue[]] {
  if (Array.isArray(params)) return [{}, ...params.map(toSql)];
  return [Object.fromEntries(Object.entries(params).map(([name, value]) => [name, toSql(value)]))];
}

function collect(rows: Iterable<Parameters<typeof fromRow>[0]>, job: SqlJob): SqlAnswer {
  const kept: Record<string, unknown>[] = [];
  let bytes = 0;
  for (const row of rows) {
    const shown = fromRow(row);
    bytes += JSON.stringify(shown).length;
    if (kept.length === job.rows) return failed("too-large", `the answer has more than ${job.rows} rows`);
    if (bytes > job.bytes) return failed("too-large", `the answer has more than ${job.bytes} bytes`);
    kept.push(shown);
  }
  return { kind: "rows", rows: kept };
}

function fromRow(row: ReturnType<StatementSync["all"]>[number]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, fromSql(value)]));
}

function failed(why: SqlFailure, message: string): SqlAnswer {
  return { kind: "failed", why, message };
}

const changing = failed("changing", "another program writes the file without a pause");
