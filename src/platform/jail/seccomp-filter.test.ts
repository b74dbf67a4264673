import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { seccompFilter } from "./seccomp-filter.ts";
import { FCHMODAT2, FORBIDDEN, HARMLESS_SHARED, JUDGED } from "./syscalls.ts";

interface Call {
  readonly number: number;
  readonly args?: readonly number[];
  readonly arch?: number;
}

const ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const I386 = 0x40000003;

/** The kernel's machine, as far as a filter of ours uses it. */
function judge(filter: Buffer, { number, args = [], arch = ARCH.x64 }: Call): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(arch, 4);
  args.forEach((value, index) => data.writeBigUInt64LE(BigInt(value), 16 + 8 * index));
  let word = 0;
  for (let at = 0; ; at++) {
    const [code, operand] = [filter.readUInt16LE(at * 8), filter.readUInt32LE(at * 8 + 4)];
    const jump = (holds: boolean) => {
      at += filter.readUInt8(at * 8 + (holds ? 2 : 3));
    };
    if (code === 0x20) word = data.readUInt32LE(operand);
    else if (code === 0x54) word = (word & operand) >>> 0;
    else if (code === 0x15) jump(word === operand);
    else if (code === 0x35) jump(word >= operand);
    else if (code === 0x45) jump((word & operand) !== 0);
    else if (code === 0x06) return verdict(operand);
    else assert.fail(`unknown instruction ${code}`);
  }
}

function verdict(value: number): string {
  if (value === 0x7fff0000) return "allow";
  if (value === 0x80000000) return "kill";
  return { 1: "EPERM", 12: "ENOMEM", 13: "EACCES", 38: "ENOSYS" }[value & 0xffff] ?? String(value);
}

const strict = { fork: false, net: false };
const CLONE_THREAD_FLAGS = 0x3d0f00; // what pthread_create asks for
const SIGCHLD = 17;
const CLONE_NEWUSER = 0x10000000;

for (const machine of ["x64", "arm64"] as const) {
  const column = machine === "x64" ? 0 : 1;
  const arch = ARCH[machine];
  const ask = (allowed: typeof strict, name: keyof typeof JUDGED, ...args: number[]) => {
    const number = JUDGED[name][column];
    return number === null ? undefined : judge(seccompFilter(machine, allowed), { number, args, arch });
  };

  test(`The filter for ${machine} ends programs that speak another machine's calls`, () => {
    const filter = seccompFilter(machine, strict);
    for (const other of [I386, machine === "x64" ? ARCH.arm64 : ARCH.x64])
      assert.equal(judge(filter, { number: 0, arch: other }), "kill");
  });

  test(`The filter for ${machine} refuses what is forbidden, whatever else is granted`, () => {
    for (const allowed of [strict, { fork: true, net: true }]) {
      const filter = seccompFilter(machine, allowed);
      for (const [name, numbers] of Object.entries(FORBIDDEN)) {
        const number = numbers[column];
        if (number !== null) assert.equal(judge(filter, { number, arch }), "EPERM", name);
      }
      for (const number of [424, 425, 426, 427, 428, 434, 435, 437, 438, 442, 447, 450, 463, 600])
        assert.equal(judge(filter, { number, arch }), "ENOSYS", String(number));
      for (const number of [0x40000000, 0x40000029, 0xffffffff])
        assert.equal(judge(filter, { number, arch }), "ENOSYS", String(number));
      for (const number of Object.values(HARMLESS_SHARED))
        assert.equal(judge(filter, { number, arch }), "allow");
    }
  });

  test(`The filter for ${machine} tells threads, processes and namespaces apart`, () => {
    const fork = { fork: true, net: false };
    assert.equal(ask(strict, "clone", CLONE_THREAD_FLAGS), "allow");
    assert.equal(ask(strict, "clone", SIGCHLD), "EPERM");
    assert.equal(ask(strict, "clone", 0x4111), "EPERM"); // CLONE_VM | CLONE_VFORK | SIGCHLD: posix_spawn
    assert.equal(ask(fork, "clone", SIGCHLD), "allow");
    assert.equal(ask(fork, "clone", 0x4111), "allow");
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, CLONE_NEWUSER, 0x20000000, 0x40000000])
      for (const allowed of [strict, fork]) {
        assert.equal(ask(allowed, "clone", flag | SIGCHLD), "EPERM");
        assert.equal(ask(allowed, "clone", flag | CLONE_THREAD_FLAGS), "EPERM");
      }
    if (machine === "x64")
      for (const name of ["fork", "vfork"] as const)
        assert.deepEqual([ask(strict, name), ask(fork, name)], ["EPERM", "allow"]);
  });

  test(`The filter for ${machine} knows sockets by family and kind`, () => {
    const net = { fork: false, net: true };
    const families = Array.from({ length: 64 }, (_, family) => family);
    assert.deepEqual(
      new Set(families.map((family) => ask(strict, "socket", family, 1))),
      new Set(["EACCES"]),
    );
    assert.deepEqual(
      families.filter((family) => ask(net, "socket", family, 1) === "allow"),
      [2, 10],
    );
    for (const allowed of [strict, net]) {
      assert.equal(ask(allowed, "socketpair", 1, 1), "allow");
      assert.equal(ask(allowed, "socketpair", 1, 1 | 0o2004000), "allow"); // SOCK_CLOEXEC | SOCK_NONBLOCK
      assert.equal(ask(allowed, "socketpair", 1, 2), "EACCES");
      assert.equal(ask(allowed, "socketpair", 1, 5), "EACCES");
      assert.equal(ask(allowed, "socketpair", 2, 1), "EACCES");
      assert.equal(ask(allowed, "getsockopt", 0, 1, 77), "EPERM");
      assert.equal(ask(allowed, "getsockopt", 0, 6, 77), "allow");
    }
  });

  test(`The filter for ${machine} looks at the modes, flags and requests that matter`, () => {
    assert.equal(ask(strict, "mmap", 0, 4096, 3, 0x22), "allow");
    assert.equal(ask(strict, "mmap", 0, 4096, 3, 0x21), "EPERM");
    assert.equal(ask(strict, "mmap", 0, 4096, 3, 0x23), "EPERM");
    assert.equal(ask(strict, "mmap", 0, 4096, 3, 0x01), "allow");
    assert.equal(ask(strict, "mmap", 0, 4096, 3, 0x40022), "ENOMEM");
    assert.equal(ask(strict, "ioctl", 0, 0x5412), "EPERM");
    assert.equal(ask(strict, "ioctl", 0, 0x541c), "EPERM");
    assert.equal(ask(strict, "ioctl", 0, 0x5412 + 2 ** 40), "EPERM");
    assert.equal(ask(strict, "ioctl", 0, 0x5401), "allow");
    assert.equal(ask(strict, "personality", 0xffffffff), "allow");
    assert.equal(ask(strict, "personality", 0x40000), "EPERM");
    assert.equal(ask(strict, "fchmodat", 0, 0, 0o755), "allow");
    assert.equal(ask(strict, "fchmodat", 0, 0, 0o4755), "EPERM");
    assert.equal(ask(strict, "fchmod", 0, 0o2755), "EPERM");
    assert.equal(ask(strict, "openat", 0, 0, 0o101, 0o644), "allow");
    assert.equal(ask(strict, "openat", 0, 0, 0o101, 0o4644), "EPERM");
    assert.equal(ask(strict, "openat", 0, 0, 0o20200002, 0o4644), "EPERM"); // O_TMPFILE
    assert.equal(ask(strict, "openat", 0, 0, 0, 0o4644), "allow");
    const filter = seccompFilter(machine, strict);
    assert.equal(judge(filter, { number: FCHMODAT2, args: [0, 0, 0o4755], arch }), "EPERM");
    assert.equal(judge(filter, { number: FCHMODAT2, args: [0, 0, 0o755], arch }), "allow");
  });
}

const HEADERS = [
  "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
  "/usr/include/asm-generic/unistd.h",
] as const;

test("System call numbers are those of the kernel's headers", {
  skip: !HEADERS.every((path) => existsSync(path)) && "no kernel headers for x86_64",
}, () => {
  const [x64, generic] = HEADERS.map(
    (path) =>
      new Map(
        [...readFileSync(path, "utf8").matchAll(/#define __NR(?:3264)?_(\w+) (\d+)/g)].map(
          ([, name, number]) => [name, Number(number)] as const,
        ),
      ),
  );
  // Their numbers are behind a condition in the generic header.
  const unlisted = new Set(["name_to_handle_at", "open_by_handle_at"]);
  for (const [name, [x, arm]] of Object.entries({ ...FORBIDDEN, ...JUDGED })) {
    assert.equal(x64?.get(name), x, name);
    if (!unlisted.has(name)) assert.equal(generic?.get(name) ?? null, arm, name);
  }
  for (const [name, number] of Object.entries(HARMLESS_SHARED))
    assert.equal(x64?.get(name) ?? number, number, name);
});
