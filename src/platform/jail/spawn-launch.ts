import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { whenStarted } from "../when-started.ts";
import { firstFreeDescriptor, type Launch } from "./launch.ts";

export interface Spawned {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly pipes: { readonly toChild: Writable; readonly fromChild: Readable } | undefined;
  readonly report: Readable | undefined;
  /** To be lifted when all of it has ended. */
  readonly confinement: Disposable | undefined;
}

/** Spawns what enters the jail and tells it what it has to know. */
export async function spawnLaunch(launch: Launch, withPipes: boolean): Promise<Spawned> {
  const [program, ...args] = launch.argv;
  const free = firstFreeDescriptor(withPipes);
  const descriptors = free + launch.told.length + (launch.reports ? 1 : 0);
  const child = spawn(program, args, {
    stdio: Array<"pipe">(descriptors).fill("pipe"),
    env: launch.env,
    cwd: launch.cwd,
    detached: !launch.reports,
  });
  const pid = await whenStarted(child, program);
  offerToOutOfMemoryKiller(pid);
  const confinement = launch.confine?.(pid);
  launch.told.forEach((bytes, index) => quiet(child.stdio[free + index] as Writable).end(bytes));
  const [stdin, stdout, stderr, third, fourth] = child.stdio;
  return {
    child,
    pid,
    stdin: quiet(stdin),
    stdout,
    stderr,
    pipes: withPipes
      ? { toChild: quiet(third as Writable), fromChild: quiet(fourth as Readable) }
      : undefined,
    confinement,
    report: launch.reports ? quiet(child.stdio[descriptors - 1] as Readable) : undefined,
  };
}

/** A program may end without reading what it is given; its end is told elsewhere. */
function quiet<T extends Readable | Writable>(stream: T): T {
  stream.on("error", () => {});
  return stream;
}

/** Where memory runs out before a look at it, the jailed program goes first. It has not read its orders yet. */
function offerToOutOfMemoryKiller(pid: number): void {
  try {
    if (process.platform === "linux") writeFileSync(`/proc/${pid}/oom_score_adj`, "1000");
  } catch {}
}
