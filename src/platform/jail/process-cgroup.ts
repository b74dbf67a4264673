import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PREFIX = "deputy-jail-";

/** Makes a group that the kernel lets no more than so many processes and threads into. */
export type ProcessCgroups = (pid: number, most: number) => Disposable;

/** For root, whose processes RLIMIT_NPROC does not count. Undefined where this process may not make groups. */
export function processCgroups(): ProcessCgroups | undefined {
  const hierarchy = ownGroup();
  if (hierarchy === undefined || !canMakeGroups(hierarchy)) return undefined;
  return (pid, most) => {
    let group: string | undefined;
    try {
      group = makeGroup(hierarchy);
      writeFileSync(join(group, "pids.max"), String(most));
      writeFileSync(join(group, "cgroup.procs"), String(pid));
    } catch {} // The watch counts processes as well.
    return {
      [Symbol.dispose]: () => {
        if (group !== undefined) removeGroup(group);
      },
    };
  };
}

/**
 * cgroups(7): new groups go below our own, whose limits they must not leave. In version 2 a group with processes in it
 * can only have others below where it is the top one, as in a container.
 */
function ownGroup(): string | undefined {
  const groups = readFileSync("/proc/self/cgroup", "utf8");
  const first = /^\d+:pids:(.*)$/m.exec(groups)?.[1];
  if (first !== undefined) return join("/sys/fs/cgroup/pids", first);
  return /^0::\/$/m.test(groups) ? "/sys/fs/cgroup" : undefined;
}

function canMakeGroups(hierarchy: string): boolean {
  try {
    for (const name of readdirSync(hierarchy))
      if (name.startsWith(PREFIX)) removeGroup(join(hierarchy, name)); // of an engine that was killed
    const group = makeGroup(hierarchy);
    const counts = existsSync(join(group, "pids.max"));
    removeGroup(group);
    return counts;
  } catch {
    return false;
  }
}

function makeGroup(hierarchy: string): string {
  const group = join(hierarchy, PREFIX + randomUUID());
  mkdirSync(group);
  return group;
}

function removeGroup(group: string): void {
  try {
    rmdirSync(group);
  } catch {} // somebody is in it
}
