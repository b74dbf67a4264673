import { type ChildProcess, execFile } from "node:child_process";
import type { Grip } from "./grip.ts";
import type { Usage } from "./usage.ts";

/**
 * By process group, where there is no namespace: what it started and did not move out of the group is ended with it.
 * Memory is what ps says is resident. Windows has neither, and there only the program itself is ended.
 */
export function groupGrip(child: ChildProcess): Grip {
  const group = child.pid ?? 0;
  return {
    usage: () => (process.platform === "win32" ? undefined : groupUsage(group)),
    kill: () => {
      try {
        if (process.platform !== "win32" && group > 0) process.kill(-group, "SIGKILL");
      } catch {} // nobody is left in it
      child.kill("SIGKILL");
    },
    gone: () => Promise.resolve(),
  };
}

function groupUsage(group: number): Promise<Usage | undefined> {
  return new Promise((resolve) => {
    execFile("/bin/ps", ["-A", "-o", "pgid=", "-o", "rss="], { env: {} }, (error, stdout) => {
      if (error !== null) return resolve(undefined);
      const members = stdout
        .split("\n")
        .map((line) => line.trim().split(/\s+/).map(Number))
        .filter(([pgid]) => pgid === group);
      const kilobytes = members.reduce((sum, [, rss]) => sum + (rss ?? 0), 0);
      resolve({ memoryBytes: kilobytes * 1024, tasks: members.length });
    });
  });
}
