import type { ChildProcess } from "node:child_process";
import { DeputyError, systemCode } from "../kernel/index.ts";

/** Resolves with its id once the program runs. To be called in the turn it was spawned in: its errors are told in the next. */
export function whenStarted(child: ChildProcess, program: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on("spawn", () => resolve(child.pid ?? 0));
  child.on("error", (cause) => reject(notStarted(program, cause)));
  return promise;
}

function notStarted(program: string, cause: unknown): DeputyError {
  switch (systemCode(cause)) {
    case "ENOENT":
      return new DeputyError("NOT_FOUND", `Cannot start ${program}`, { hint: `Install ${program}.`, cause });
    case "EACCES":
      return new DeputyError("NOT_FOUND", `Cannot start ${program}: this user may not run it`, {
        hint: "Check who owns the file and whether it can be executed.",
        cause,
      });
    default:
      return new DeputyError("ENGINE_BUSY", `Cannot start ${program}: the system has no room for it now`, {
        hint: "Too many files or processes are open. Try again in a moment.",
        cause,
      });
  }
}
