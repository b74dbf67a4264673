import type { ActivityLog, Finding } from "../../access/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Check } from "../methods.ts";

const id = "log";

const MEND =
  "Somebody, or something, wrote to logs/activity.db. If you know why: deputy log --restart puts it aside and begins anew.";

/** Whether the activity log is all there and as it was written. */
export async function checkLog(log: ActivityLog): Promise<Check> {
  try {
    const { rows, lost, finding } = await log.verify();
    if (finding !== undefined) return { id, status: "fail", message: inWords(finding), hint: MEND };
    if (lost === 0) return { id, status: "ok", message: `The activity log is whole: ${rows} rows` };
    return {
      id,
      status: "warn",
      message: `The activity log lacks ${lost} rows that were not on the disk yet when the machine stopped`,
      hint: "A power cut takes the last second of it. Did the machine stop by itself?",
    };
  } catch (error) {
    if (!(error instanceof DeputyError)) throw error;
    if (error.code === "NOT_SET_UP")
      return { id, status: "ok", message: "The activity log begins with the vault" };
    if (error.code === "VAULT_LOCKED")
      return { id, status: "warn", message: "The activity log can be checked once the vault is open" };
    const hint = error.code === "DATABASE_CORRUPT" ? MEND : error.hint;
    const message = `The activity log cannot be checked: ${error.message}`;
    return { id, status: "fail", message, ...(hint === undefined ? {} : { hint }) };
  }
}

function inWords({ id: row, what }: Finding): string {
  switch (what) {
    case "changed":
      return `The activity log was tampered with: row ${row} is not as it was written`;
    case "missing":
      return `The activity log was tampered with: row ${row} is missing`;
    case "put-back":
      return `The activity log was tampered with: row ${row} was put in where none belongs`;
    case "end-missing":
      return `The activity log was tampered with: its end is missing, from row ${row} on`;
  }
}
