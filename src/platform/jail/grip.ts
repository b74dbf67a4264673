import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Courtesy } from "./courtesy.ts";
import { NamespaceUsage } from "./namespace-usage.ts";
import type { Usage } from "./usage.ts";

/** How a started program is held: looked at, ended with all it started, and known to be gone. */
export interface Grip {
  /** May stop counting at what is enough. */
  usage(enough: Usage): Promise<Usage | undefined> | Usage | undefined;
  /** Has it give way to others where it has computed for long. */
  giveWay?(): void;
  kill(): void;
  /** After the spawned process has ended: resolves once the rest has too. */
  gone(): Promise<void>;
}

/**
 * By process 1 of a process namespace, as this machine numbers it. The kernel ends all others with it, and calls it
 * dead only after they are.
 */
export function namespaceGrip(child: ChildProcess, init: number, mayFork: boolean): Grip {
  const born = statusOf(init)?.born;
  const usage = new NamespaceUsage(init, mayFork);
  const courtesy = new Courtesy(init);
  return {
    usage: (enough) => usage.read(enough),
    giveWay: () => courtesy.look(),
    kill: () => {
      courtesy.lift();
      const now = statusOf(init);
      try {
        // bwrap waits for it, so the number can only have passed to another process once bwrap is ending too.
        if (now?.parent === child.pid && now?.born === born) process.kill(init, "SIGKILL");
        else child.kill("SIGKILL");
      } catch {} // it ended meanwhile
    },
    // bwrap ends when the program does and takes process 1 with it, a moment later.
    gone: async () => {
      usage[Symbol.dispose]();
      for (let wait = 1; ; wait = Math.min(wait + 1, 25)) {
        const now = statusOf(init);
        if (now === undefined || now.born !== born || now.dead) return;
        await sleep(wait);
      }
    },
  };
}

interface Status {
  readonly dead: boolean;
  readonly parent: number;
  readonly born: string;
}

/** proc(5): fields 3, 4 and 22 of stat; the second is a name that may contain anything. */
function statusOf(pid: number): Status | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { dead: "ZX".includes(fields[0] ?? "X"), parent: Number(fields[1]), born: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}
