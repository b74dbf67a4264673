/** The program that runs in the jail: tasks on stdin, their results in the same order on stdout. */
import { text } from "node:stream/consumers";
import { decrypt, deriveKey } from "./crypto.ts";
import { parseCsv } from "./csv.ts";
import { parsePlist } from "./plist.ts";
import { type Task, type TaskResult, Unusable } from "./task.ts";

const tasks = JSON.parse(await text(process.stdin)) as Task[];
process.stdout.write(JSON.stringify(tasks.map(attempt)));

function attempt(task: Task): TaskResult {
  try {
    return { done: perform(task) };
  } catch (error) {
    if (error instanceof Unusable) return { failed: error.message };
    throw error;
  }
}

function perform(task: Task): unknown {
  switch (task.kind) {
    case "csv":
      return parseCsv(task);
    case "plist":
      return parsePlist(task);
    case "pbkdf2":
      return deriveKey(task);
    case "aes-128-cbc":
      return decrypt(task);
  }
}
