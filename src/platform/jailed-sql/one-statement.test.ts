import assert from "node:assert/strict";
import { test } from "node:test";
import { isOneStatement } from "./one-statement.ts";

const ONE = [
  "SELECT 1",
  "SELECT 1;",
  " SELECT 1 ; \n ",
  "SELECT ';'",
  "SELECT 'it''s; fine'",
  'SELECT ";" FROM [a;b], `c;d`',
  "SELECT 1 -- ; SELECT 2",
  "SELECT 1; -- done",
  "SELECT 1 /* ; */ + 2; /* ; ' */",
  "SELECT 1;;",
];
const OTHERS = [
  "",
  " ; ",
  "-- nothing",
  "SELECT 1; SELECT 2",
  "SELECT 1;SELECT 2;",
  "SELECT '\n'; DROP TABLE x",
  "SELECT 1 -- '\n; DROP TABLE x -- '",
  "SELECT 1 /* ' */; DROP TABLE x /* ' */",
  "; SELECT 1; SELECT 2",
];

test("one statement is told from several whatever quotes and comments are in it", () => {
  for (const sql of ONE) assert.ok(isOneStatement(sql), sql);
  for (const sql of OTHERS) assert.ok(!isOneStatement(sql), sql);
});
