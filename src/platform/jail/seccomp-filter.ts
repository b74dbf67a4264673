import {
  ALLOW,
  and,
  assemble,
  fail,
  type Instruction,
  KILL_PROCESS,
  loadArch,
  loadArgument,
  loadNumber,
  unlessEqual,
  whenAnyBit,
  whenAtLeast,
  whenEqual,
} from "./bpf.ts";
import { FCHMODAT2, FIRST_SHARED, FORBIDDEN, HARMLESS_SHARED, JUDGED } from "./syscalls.ts";

export type Machine = "x64" | "arm64";

const AUDIT_ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 } as const; // linux/audit.h

const EPERM = fail(1);
const ENOMEM = fail(12);
const EACCES = fail(13);
const ENOSYS = fail(38);

const CLONE_THREAD = 0x00010000;
/** NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET */
const CLONE_NEW = 0x7e020000;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_STREAM = 1;
const SOCK_TYPE_MASK = 0xf;
const SOL_SOCKET = 1;
const SO_PEERPIDFD = 77;
const MAP_SHARED_ANONYMOUS = 0x21;
const MAP_HUGETLB = 0x40000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const O_CREAT_OR_TMPFILE = 0x400040;
const SET_ID_BITS = 0o6000;

/**
 * The system calls a jailed program may make, for `bwrap --seccomp`. The rest of the jail assumes that nobody inside
 * can make namespaces, open sockets or allocate memory that is not its own.
 * execve stays open, because bubblewrap itself needs it: a program can become another one, under the same filter.
 */
export function seccompFilter(machine: Machine, allowed: { fork: boolean; net: boolean }): Buffer {
  return assemble([
    loadArch,
    ...unlessEqual(AUDIT_ARCH[machine], KILL_PROCESS),
    loadNumber,
    ...Object.values(HARMLESS_SHARED).flatMap((number) => whenEqual(number, [ALLOW])),
    ...whenEqual(FCHMODAT2, judgeMode(2)),
    // clone3 hides its flags behind a pointer: with ENOSYS the C library falls back to clone. x32 calls end here too.
    ...whenAtLeast(FIRST_SHARED, [ENOSYS]),
    ...Object.values(FORBIDDEN).flatMap((numbers) => on(machine, numbers, [EPERM])),
    ...on(machine, JUDGED.clone, allowed.fork ? judgeFork : judgeThread),
    ...on(machine, JUDGED.fork, [allowed.fork ? ALLOW : EPERM]),
    ...on(machine, JUDGED.vfork, [allowed.fork ? ALLOW : EPERM]),
    ...on(machine, JUDGED.socket, allowed.net ? judgeSocket : [EACCES]),
    ...on(machine, JUDGED.socketpair, judgeSocketPair),
    ...on(machine, JUDGED.getsockopt, judgeSocketOption),
    ...on(machine, JUDGED.mmap, judgeMapping),
    ...on(machine, JUDGED.ioctl, judgeTerminalControl),
    ...on(machine, JUDGED.personality, judgePersonality),
    ...on(machine, JUDGED.chmod, judgeMode(1)),
    ...on(machine, JUDGED.fchmod, judgeMode(1)),
    ...on(machine, JUDGED.fchmodat, judgeMode(2)),
    ...on(machine, JUDGED.creat, judgeMode(1)),
    ...on(machine, JUDGED.open, judgeOpen(1)),
    ...on(machine, JUDGED.openat, judgeOpen(2)),
    ALLOW,
  ]);
}

/** `body` decides: it returns on every path. */
function on(
  machine: Machine,
  [x64, arm64]: readonly [number, number | null],
  body: readonly Instruction[],
): Instruction[] {
  const number = machine === "x64" ? x64 : arm64;
  return number === null ? [] : whenEqual(number, body);
}

const judgeThread = [
  loadArgument(0),
  ...whenAnyBit(CLONE_NEW, [EPERM]),
  ...whenAnyBit(CLONE_THREAD, [ALLOW]),
  EPERM,
];

const judgeFork = [loadArgument(0), ...whenAnyBit(CLONE_NEW, [EPERM]), ALLOW];

/**
 * No AF_UNIX, ever: a socket in a bound folder answers even where the folder is read-only, and with the machine's
 * network come its abstract sockets.
 */
const judgeSocket = [
  loadArgument(0),
  ...whenEqual(AF_INET, [ALLOW]),
  ...whenEqual(AF_INET6, [ALLOW]),
  EACCES,
];

/** Streams only: a datagram pair can still be addressed to any socket there is. */
const judgeSocketPair = [
  loadArgument(1),
  and(SOCK_TYPE_MASK),
  ...whenEqual(SOCK_STREAM, [loadArgument(0), ...whenEqual(AF_UNIX, [ALLOW]), EACCES]),
  EACCES,
];

/** Our pipes are socket pairs: asked for a handle of its peer, one would name this process. */
const judgeSocketOption = [
  loadArgument(1),
  ...whenEqual(SOL_SOCKET, [loadArgument(2), ...whenEqual(SO_PEERPIDFD, [EPERM]), ALLOW]),
  ALLOW,
];

/** Shared anonymous and huge pages stay allocated while no process shows them as its own. */
const judgeMapping = [
  loadArgument(3),
  ...whenAnyBit(MAP_HUGETLB, [ENOMEM]),
  and(MAP_SHARED_ANONYMOUS),
  ...whenEqual(MAP_SHARED_ANONYMOUS, [EPERM]),
  ALLOW,
];

const judgeTerminalControl = [
  loadArgument(1),
  ...whenEqual(TIOCSTI, [EPERM]),
  ...whenEqual(TIOCLINUX, [EPERM]),
  ALLOW,
];

const judgePersonality = [
  loadArgument(0),
  ...whenEqual(0, [ALLOW]),
  ...whenEqual(0xffffffff, [ALLOW]), // only asks
  EPERM,
];

/** A set-user-id file in a writable folder would be a door for other users of the machine. */
function judgeMode(argument: number): Instruction[] {
  return [loadArgument(argument), ...whenAnyBit(SET_ID_BITS, [EPERM]), ALLOW];
}

/** The mode is rubbish unless a file may be made. */
function judgeOpen(flags: number): Instruction[] {
  return [loadArgument(flags), ...whenAnyBit(O_CREAT_OR_TMPFILE, judgeMode(flags + 1)), ALLOW];
}
