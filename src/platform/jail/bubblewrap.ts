import type { Bind } from "./binds.ts";
import type { JailLimits, JailSpec } from "./jail.ts";
import { DEFAULT_ENVIRONMENT, firstFreeDescriptor, type Launch } from "./launch.ts";
import { mostTasks, resourceLimits } from "./limits.ts";
import type { ProcessCgroups } from "./process-cgroup.ts";
import { type Machine, seccompFilter } from "./seccomp-filter.ts";
import { systemPaths } from "./system-paths.ts";

export interface Bubblewrap {
  readonly bwrap: string;
  readonly prlimit: string;
  readonly machine: Machine;
  /** What hides the machine's part of /proc. */
  readonly covers: readonly string[];
  /** How the number of processes is bounded by the kernel: without that a fork bomb outruns whoever counts. */
  readonly bound: "rlimit" | ProcessCgroups | undefined;
}

/**
 * A new user, process, network, mount, IPC, host name and cgroup namespace, without capabilities (root's bwrap keeps
 * them unless told), where nothing is writable but /tmp and what the spec says.
 */
const ISOLATION = [
  ..."--unshare-all --unshare-user --disable-userns --cap-drop ALL --uid 1000 --gid 1000".split(" "),
  ..."--hostname jail --new-session --die-with-parent --clearenv".split(" "),
];

/** /dev/zero is missing on purpose: mapped as shared it is memory that no process shows as its own. */
const DEVICES = [
  ..."--tmpfs /dev --dev-bind /dev/null /dev/null --dev-bind /dev/urandom /dev/urandom".split(" "),
  ..."--dev-bind /dev/random /dev/random --symlink /proc/self/fd /dev/fd".split(" "),
  ..."--symlink /proc/self/fd/0 /dev/stdin --symlink /proc/self/fd/1 /dev/stdout".split(" "),
  ..."--symlink /proc/self/fd/2 /dev/stderr --remount-ro /dev".split(" "),
];

/**
 * Paths, variables and filter travel on descriptors: bwrap's arguments can be read by every user of the machine, and
 * its environment inside the jail, where it is process 1.
 */
export function bubblewrapLaunch(
  tools: Bubblewrap,
  spec: JailSpec,
  binds: readonly Bind[],
  limits: JailLimits,
): Launch {
  const fd = firstFreeDescriptor(spec.pipes);
  const net = spec.net === true;
  const room = ["--size", String(limits.fileBytes), "--tmpfs", "/tmp"];
  const shown = binds.flatMap(({ from, to, writable }) => [writable ? "--bind" : "--ro-bind", from, to]);
  const closed = ["--remount-ro", "/", "--chdir", spec.cwd ?? "/tmp"];
  const told = ["--seccomp", String(fd + 1), "--json-status-fd", String(fd + 2)];
  const options = [
    ...ISOLATION,
    ...(net ? ["--share-net"] : []),
    ...Object.entries(spec.env ?? DEFAULT_ENVIRONMENT).flatMap(([name, value]) => ["--setenv", name, value]),
    ...systemPaths(net),
    "--proc",
    "/proc",
    ...tools.covers,
    ...DEVICES,
    ...room,
    ...shown,
    ...closed,
    ...told,
  ];
  if (options.some((option) => option.includes("\0"))) throw new TypeError("NUL in what a jail is told");
  const { bound } = tools;
  const most = mostTasks(limits);
  // Set inside: outside it would count all processes of this user.
  const limited =
    spec.fork === true && bound === "rlimit" ? [tools.prlimit, `--nproc=${most}:${most}`, "--"] : [];
  const outer = ["--", tools.bwrap, "--args", String(fd), "--"];
  return {
    argv: [tools.prlimit, ...resourceLimits(limits), ...outer, ...limited, ...spec.argv],
    env: {},
    cwd: "/",
    told: [
      Buffer.from(options.map((option) => `${option}\0`).join("")),
      seccompFilter(tools.machine, { fork: spec.fork === true, net }),
    ],
    reports: true,
    ...(spec.fork === true && typeof bound === "function"
      ? { confine: (pid: number) => bound(pid, most) }
      : {}),
  };
}
