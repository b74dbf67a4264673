/**
 * Attempts to get out of a jail, from Python with raw system calls. Each runs alone in a jail of its own; it says
 * REACHED where it got somewhere, and what it was told otherwise.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { after, test } from "node:test";
import { jailCanaries } from "../../../test/support/jail-canaries.ts";
import { createJail, readEnvironment, runProcess } from "../index.ts";
import { FORBIDDEN, HARMLESS_SHARED, JUDGED } from "./syscalls.ts";

const PYTHON = "/usr/bin/python3";
const jail = await createJail({ env: readEnvironment() });
const skip =
  jail.level === "reduced"
    ? `no jail: ${jail.reason}`
    : !existsSync(PYTHON) && `no ${PYTHON}, or it is not the system's`;

const canaries = await jailCanaries();
after(() => canaries[Symbol.asyncDispose]());
const own = `DEPUTY_JAIL_TEST_${process.pid}`;
process.env[own] = canaries.word;
after(() => delete process.env[own]);

const machine = process.arch === "arm64" ? 1 : 0;
const numbers = Object.fromEntries(
  Object.entries({ ...FORBIDDEN, ...JUDGED }).map(([name, both]) => [name, both[machine]]),
);
const facts = JSON.stringify({ ...canaries.facts, numbers });

const PRELUDE = `
import ctypes, errno, json, mmap, os, resource, signal, socket, stat, subprocess, sys, threading, time
F = json.loads(sys.stdin.readline())
N = F["numbers"]
libc = ctypes.CDLL(None, use_errno=True)
class Refused(Exception): pass
def call(nr, *args):
    nr = N[nr] if isinstance(nr, str) else nr
    if nr is None: raise Refused("no such call on this machine")
    args = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    got = libc.syscall(ctypes.c_long(nr), *args)
    if got == -1:
        code = ctypes.get_errno()
        raise OSError(code, errno.errorcode.get(code, str(code)))
    return got
def seek(text):
    if isinstance(text, bytes): text = text.decode("latin1")
    if F["word"] not in text: raise Refused("not in " + str(len(text)) + " characters")
def connect(family, address, kind=socket.SOCK_STREAM):
    s = socket.socket(family, kind); s.settimeout(2); s.connect(address); seek(s.recv(100))
def attempt():
`;
const POSTLUDE = `
try:
    attempt()
    print("REACHED")
except SystemExit: raise
except BaseException as e: print("refused:", type(e).__name__, e)
`;

/** `open`: works without a jail, which shows that the attempt is a real one. */
interface Attempt {
  readonly code: string;
  readonly open?: true;
  /** Where the filter ends the process instead of refusing the call. */
  readonly killed?: true;
}

const ATTEMPTS: Record<string, Attempt> = {
  "a file outside by its path": { code: `seek(open(F["secret"]).read())`, open: true },
  "a file outside by a link in a shown folder": {
    code: `seek(open(F["shared"] + "/link").read())`,
    open: true,
  },
  "a file outside by a link it makes": {
    code: `
p = F["work"] + "/made-%d" % time.time_ns()
os.symlink(F["secret"], p)
seek(open(p).read())`,
    open: true,
  },
  "a file outside by dots": { code: `seek(open(F["shared"] + "/../outside/secret.txt").read())`, open: true },
  "a file outside from a folder's descriptor": {
    code: `
d = os.open(F["shared"], os.O_RDONLY | os.O_DIRECTORY)
seek(os.read(os.open("../outside/secret.txt", os.O_RDONLY, dir_fd=d), 100))`,
    open: true,
  },
  "a file outside through process 1's root": { code: `seek(open("/proc/1/root" + F["secret"]).read())` },
  "a file outside through process 1's folder": { code: `seek(open("/proc/1/cwd/.." + F["secret"]).read())` },
  "a file outside through its parent's root": {
    code: `seek(open("/proc/%d/root%s" % (F["parent"], F["secret"])).read())`,
    open: true,
  },
  "a file outside by a hard link": {
    code: `
p = F["work"] + "/hard-%d" % time.time_ns()
os.link(F["secret"], p)
seek(open(p).read())`,
    open: true,
  },
  "a file by its handle": {
    code: `
handle = ctypes.create_string_buffer(b"\\x80\\0\\0\\0" + b"\\0" * 132, 136)
mount = ctypes.c_int()
call("name_to_handle_at", -100, (F["shared"] + "/data.txt").encode(), handle, ctypes.byref(mount), 0)`,
  },
  "a file opened by a handle": {
    code: `call("open_by_handle_at", 0, ctypes.create_string_buffer(16), 0)`,
  },
  "the list of users": { code: `open("/etc/passwd").read()`, open: true },
  "the list of passwords": { code: `open("/etc/shadow").read()` },
  "the machine's id": { code: `open("/etc/machine-id").read()` },
  "anybody's home": {
    code: `
for p in ("/root", "/home"):
    if os.path.exists(p): return
raise Refused("none")`,
    open: true,
  },
  "the machine's sockets and runtime files": { code: `os.listdir("/run")`, open: true },
  "the machine's devices": { code: `os.listdir("/sys")`, open: true },
  "what lies in the machine's /tmp": {
    code: `
if not [n for n in os.listdir("/tmp") if not F["work"].startswith("/tmp/" + n)]: raise Refused("nothing")`,
  },
  "writing a read-only file": { code: `open(F["shared"] + "/data.txt", "w")` },
  "writing a read-only file through its descriptor's path": {
    code: `
fd = os.open(F["shared"] + "/data.txt", os.O_RDONLY)
os.open("/proc/self/fd/%d" % fd, os.O_RDWR)`,
  },
  "writing a read-only file through memory": {
    code: `
fd = os.open(F["shared"] + "/data.txt", os.O_RDONLY)
mmap.mmap(fd, 6, mmap.MAP_SHARED, mmap.PROT_WRITE)`,
  },
  "making a file in a read-only folder": { code: `open(F["shared"] + "/new", "w")` },
  "removing a read-only file": { code: `os.remove(F["shared"] + "/data.txt")` },
  "renaming a read-only file": { code: `os.rename(F["shared"] + "/data.txt", F["work"] + "/taken")` },
  "linking a read-only file where it can be written": {
    code: `os.link(F["shared"] + "/data.txt", F["work"] + "/hard-%d" % time.time_ns())`,
    open: true,
  },
  "the mode of a read-only file": { code: `os.chmod(F["shared"] + "/data.txt", 0o777)` },
  "the times of a read-only file": { code: `os.utime(F["shared"] + "/data.txt", (1, 1))` },
  "the attributes of a read-only file": { code: `os.setxattr(F["shared"] + "/data.txt", "user.a", b"b")` },
  "writing the system's programs": { code: `open("/usr/bin/deputy-was-here", "w")` },
  "writing the system's settings": { code: `open("/etc/deputy-was-here", "w")` },
  "writing the root folder": { code: `open("/deputy-was-here", "w")` },
  "leaving something in shared memory": {
    code: `
os.makedirs("/dev/shm", exist_ok=True)
open("/dev/shm/deputy-was-here", "w")`,
  },
  "a set-user-id file by chmod": {
    code: `
p = F["work"] + "/suid-%d" % time.time_ns()
open(p, "w").close(); os.chmod(p, 0o4755)`,
    open: true,
  },
  "a set-user-id file by fchmod": {
    code: `
fd = os.open(F["work"] + "/suid-%d" % time.time_ns(), os.O_CREAT | os.O_RDWR, 0o700)
os.fchmod(fd, 0o4755)`,
    open: true,
  },
  "a set-user-id file from its creation": {
    code: `os.open(F["work"] + "/suid-%d" % time.time_ns(), os.O_CREAT | os.O_RDWR, 0o4755)`,
    open: true,
  },
  "a set-user-id file by fchmodat2": {
    code: `
p = F["work"] + "/suid-%d" % time.time_ns()
open(p, "w").close(); call(452, -100, p.encode(), 0o4755, 0)`,
  },
  "a file by openat2, whose mode the filter cannot see": {
    code: `
how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_RDWR, 0o4755, 0)
call(437, -100, (F["work"] + "/suid-%d" % time.time_ns()).encode(), how, 24)`,
    open: true,
  },
  "a device of its own": { code: `os.mknod(F["work"] + "/disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0))` },
  "a FIFO that blocks its reader outside": {
    code: `os.mkfifo(F["work"] + "/fifo-%d" % time.time_ns())`,
    open: true,
  },
  "the machine's memory": { code: `open("/dev/mem", "rb").read(1)` },
  "the machine's disk": {
    code: `
for n in ("vda", "sda", "nvme0n1"):
    try: return open("/dev/" + n, "rb").read(1)
    except FileNotFoundError: pass
raise Refused("none")`,
  },
  "the kernel's messages": { code: `open("/dev/kmsg").read(1)` },
  "a terminal": { code: `open("/dev/tty")` },
  "a new terminal": { code: `os.openpty()`, open: true },
  "typing into the terminal (TIOCSTI)": {
    code: `
for fd in range(5):
    try: call("ioctl", fd, 0x5412, ctypes.create_string_buffer(b"x")); return
    except OSError as e:
        if e.errno != errno.EPERM: return
raise Refused("EPERM")`,
  },
  "typing into the terminal with high bits set": {
    code: `
try: call("ioctl", 0, 0x5412 | 1 << 40, ctypes.create_string_buffer(b"x"))
except OSError as e:
    if e.errno == errno.EPERM: raise`,
  },
  "the console's selection (TIOCLINUX)": {
    code: `
try: call("ioctl", 0, 0x541c, ctypes.create_string_buffer(b"x"))
except OSError as e:
    if e.errno == errno.EPERM: raise`,
  },
  "process 1's environment": { code: `seek(open("/proc/1/environ").read())` },
  "every environment there is": {
    code: `
seek("".join(open("/proc/%s/environ" % p, errors="replace").read() for p in os.listdir("/proc") if p.isdigit()))`,
  },
  "its parent's environment": { code: `seek(open("/proc/%d/environ" % F["parent"]).read())` },
  "another process's environment": {
    code: `seek(open("/proc/%d/environ" % F["victim"]).read())`,
    open: true,
  },
  "paths in process 1's arguments": {
    code: `if F["work"] not in open("/proc/1/cmdline").read(): raise Refused("not there")`,
  },
  "process 1's memory": {
    code: `
text = b""
mem = open("/proc/1/mem", "rb", 0)
for line in open("/proc/1/maps"):
    a, b = (int(x, 16) for x in line.split()[0].split("-"))
    if " r" not in line: continue
    try: mem.seek(a); text += mem.read(b - a)
    except (OSError, OverflowError): pass
seek(text)`,
  },
  "its parent's memory": { code: `open("/proc/%d/mem" % F["parent"], "rb")`, open: true },
  "other processes' names": {
    code: `
if len([p for p in os.listdir("/proc") if p.isdigit()]) <= 2: raise Refused("only process 1 and itself")`,
    open: true,
  },
  "the kernel's settings": { code: `os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)` },
  "anything of the machine that can be written in /proc": {
    code: `
for folder, inner, names in os.walk("/proc"):
    if folder == "/proc": inner[:] = [n for n in inner if not n.isdigit() and n not in ("self", "thread-self")]
    for name in names:
        try: os.close(os.open(folder + "/" + name, os.O_WRONLY | os.O_NONBLOCK)); print(folder, name); return
        except OSError: pass
raise Refused("nothing")`,
  },
  "the boot loader's arguments": {
    code: `if not open("/proc/cmdline").read(): raise Refused("empty")`,
    open: true,
  },
  "the kernel's keys to the machine": { code: `os.open("/proc/sysrq-trigger", os.O_WRONLY)` },
  "the kernel's memory": { code: `open("/proc/kcore", "rb").read(1)` },
  "the list of keys": { code: `if not open("/proc/keys").read(): raise Refused("empty")` },
  "an easier life when memory runs out": {
    code: `os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"-1000")`,
  },
  "another user by its map": { code: `os.write(os.open("/proc/self/uid_map", os.O_WRONLY), b"0 0 1")` },
  "root by setuid": { code: `os.setuid(0)` },
  "the machine's groups": { code: `os.setgroups([0])` },
  capabilities: {
    code: `
status = open("/proc/self/status").read()
held = [l for l in status.splitlines() if l.startswith("Cap") and int(l.split()[1], 16)]
if not held and "NoNewPrivs:\\t1" in status: raise Refused("none, and none to come")`,
  },
  "capabilities by asking": {
    code: `
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
data = (ctypes.c_uint32 * 6)(*[0xffffffff] * 6)
if libc.capset(header, data) == -1: raise OSError(ctypes.get_errno(), "capset")`,
  },
  "a program with more rights": {
    code: `
os.execv("/usr/bin/su", ["su", "-c", "echo REACHED"]) if os.path.exists("/usr/bin/su") else os.setuid(0)`,
  },
  loopback: { code: `connect(socket.AF_INET, ("127.0.0.1", F["port"]))`, open: true },
  "loopback by IPv6": { code: `connect(socket.AF_INET6, ("::ffff:127.0.0.1", F["port"]))` },
  datagrams: {
    code: `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))`,
    open: true,
  },
  names: { code: `socket.getaddrinfo("localhost.localdomain", 80)` },
  "a listening socket": {
    code: `
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()`,
    open: true,
  },
  netlink: { code: `socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)`, open: true },
  "raw packets": { code: `socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)` },
  "raw IP": { code: `socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)` },
  "the hypervisor's sockets": { code: `socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)` },
  "the kernel's ciphers": { code: `socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET, 0)` },
  "every other family of sockets": {
    code: `
for family in range(64):
    for kind in (1, 2, 3, 5):
        try: call("socket", family, kind, 0); return
        except OSError as e:
            if e.errno != errno.EACCES: return
raise Refused("EACCES")`,
  },
  "socket pairs other than streams": {
    code: `
for family in range(64):
    for kind in (1, 2, 3, 5):
        try: call("socketpair", family, kind, 0, (ctypes.c_int * 2)())
        except OSError as e:
            if e.errno == errno.EACCES: continue
            return
        if (family, kind) != (1, 1): return
raise Refused("EACCES")`,
  },
  "an abstract socket": { code: `connect(socket.AF_UNIX, "\\0" + F["abstract"])`, open: true },
  "an abstract socket from a pair": {
    code: `
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
a.sendto(b"x", "\\0" + F["abstract"])`,
  },
  "an abstract socket from a connected pair": {
    code: `
a, b = socket.socketpair()
a.connect("\\0" + F["abstract"])`,
  },
  "a socket in a shown folder": {
    code: `connect(socket.AF_UNIX, F["shared"] + "/socket")`,
    open: true,
  },
  "a socket outside": { code: `connect(socket.AF_UNIX, F["outside"] + "/socket")`, open: true },
  "the machine's connections": {
    code: `
lines = sum((open("/proc/net/" + n).read().splitlines()[1:] for n in ("tcp", "unix", "udp")), [])
if not lines: raise Refused("none")`,
    open: true,
  },
  "the machine's interfaces": {
    code: `if [n for _, n in socket.if_nameindex() if n != "lo"] == []: raise Refused("only lo")`,
  },
  "a handle of its parent by its pipe": {
    code: `
value = ctypes.c_int(); size = ctypes.c_uint(4)
call("getsockopt", 0, 1, 77, ctypes.byref(value), ctypes.byref(size))`,
  },
  "its parent's number by its pipe": {
    code: `
value = (ctypes.c_int * 3)(); size = ctypes.c_uint(12)
call("getsockopt", 0, 1, 17, value, ctypes.byref(size))
if value[0] == 0: raise Refused("0")`,
  },
  "descriptors it was not given": {
    code: `
mine = os.open("/", os.O_RDONLY)
more = [int(n) for n in os.listdir("/proc/self/fd") if int(n) > 2 and int(n) < mine]
if not more: raise Refused("none")`,
  },
  "descriptors by number": {
    code: `
for fd in range(3, 4096):
    try: os.fstat(fd); return
    except OSError: pass
raise Refused("none")`,
  },
  "process 1's descriptors": {
    code: `
for n in os.listdir("/proc/1/fd"):
    if n in "012": continue
    try: os.open("/proc/1/fd/" + n, os.O_RDWR); return
    except OSError: pass
raise Refused("none opens")`,
  },
  "killing a process outside": { code: `os.kill(F["victim"], 9)` },
  "killing its parent": { code: `os.kill(F["parent"], 0)` },
  "signals to everything there is": { code: `os.kill(-1, 0)`, open: true },
  "a handle of another process": { code: `call(434, os.getpid(), 0)`, open: true },
  "another process's descriptor": { code: `call(438, 0, 0, 0)` },
  "tracing process 1": { code: `call("ptrace", 16, 1, 0, 0)` },
  "asking to be traced": { code: `call("ptrace", 0, 0, 0, 0)`, open: true },
  "another process's pages": {
    code: `
buffer = ctypes.create_string_buffer(8)
iov = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
call("process_vm_readv", os.getpid(), iov, 1, iov, 1, 0)`,
    open: true,
  },
  "writing another process's pages": {
    code: `
buffer = ctypes.create_string_buffer(8)
iov = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
call("process_vm_writev", os.getpid(), iov, 1, iov, 1, 0)`,
    open: true,
  },
  "a child": {
    code: `
if os.fork() == 0: os._exit(0)
os.wait()`,
    open: true,
  },
  "a child by vfork": { code: `subprocess.run(["/usr/bin/true"])`, open: true },
  "a child by posix_spawn": {
    code: `os.waitpid(os.posix_spawn("/usr/bin/true", ["true"], {}), 0)`,
    open: true,
  },
  "a child by clone": {
    code: `
if call("clone", signal.SIGCHLD, 0, 0, 0, 0) == 0: os._exit(0)
os.wait()`,
    open: true,
  },
  "a child by clone3": {
    code: `
args = (ctypes.c_uint64 * 8)(0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
if call(435, args, 64) == 0: os._exit(0)
os.wait()`,
    open: true,
  },
  "a child that claims to be a thread": { code: `call("clone", 0x10000 | 0x10000000, 0, 0, 0, 0)` },
  "a user namespace": { code: `call("unshare", 0x10000000)` },
  "a mount namespace": { code: `call("unshare", 0x20000)` },
  "a network namespace": { code: `call("unshare", 0x40000000)` },
  "a user namespace by clone": {
    code: `
if call("clone", 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0) == 0: os._exit(0)
os.wait()`,
  },
  "process 1's namespaces": { code: `call("setns", os.open("/proc/1/ns/net", os.O_RDONLY), 0)` },
  "its user namespace's parent": {
    code: `call("ioctl", os.open("/proc/self/ns/user", os.O_RDONLY), 0xb701)`,
  },
  "another root folder": { code: `os.chroot("/tmp")` },
  "a mount": { code: `call("mount", b"none", b"/tmp", b"tmpfs", 0, 0)` },
  "a writable system": { code: `call("mount", b"none", b"/usr", 0, 0x1020, 0)` },
  "taking a mount away": { code: `call("umount2", b"/proc/keys", 2)` },
  "the old root": { code: `call("pivot_root", b".", b".")` },
  "a mount by the new calls": { code: `call(428, -100, b"/", 1)` },
  "a file system by the new calls": { code: `call(430, b"tmpfs", 0)` },
  "another jail around itself": {
    code: `
os.execv("/usr/bin/bwrap", ["bwrap", "--ro-bind", "/", "/", "--unshare-user", "/usr/bin/echo", "REACHED"])`,
  },
  "the session's keys": { code: `call("keyctl", 0, -3, 0, 0, 0)`, open: true },
  "a key of its own": { code: `call("add_key", b"user", b"deputy-test", b"x", 1, -1)`, open: true },
  "a key by its name": { code: `call("request_key", b"user", b"deputy-test-none", 0, 0)` },
  io_uring: { code: `call(425, 1, ctypes.create_string_buffer(240))` },
  "programs in the kernel": { code: `call("bpf", 5, ctypes.create_string_buffer(128), 128)` },
  "the kernel's counters": {
    code: `
a = ctypes.create_string_buffer(b"\\x01\\0\\0\\0\\x80\\0\\0\\0", 128)
call("perf_event_open", a, 0, -1, -1, 0)`,
  },
  "page faults in its own hands": { code: `call("userfaultfd", 1)` },
  "memory behind a descriptor": { code: `os.memfd_create("x")`, open: true },
  "secret memory": { code: `call(447, 0)` },
  "shared memory of System V": { code: `call("shmget", 0, 4096, 0o1600)`, open: true },
  "message queues": { code: `call("mq_open", b"deputy-test", 0, 0, 0)` },
  "anonymous shared memory": { code: `mmap.mmap(-1, 4096)`, open: true },
  "shared memory from /dev/zero": {
    code: `mmap.mmap(os.open("/dev/zero", os.O_RDWR), 4096)`,
    open: true,
  },
  "huge pages": { code: `mmap.mmap(-1, 1 << 21, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)` },
  "predictable addresses": { code: `call("personality", 0x40000)`, open: true },
  "a program from a descriptor": {
    code: `call("execveat", os.open("/usr/bin/true", os.O_RDONLY), b"", 0, 0, 0x1000)`,
  },
  "the clock": { code: `time.clock_settime(time.CLOCK_REALTIME, time.time())` },
  "the machine's name": { code: `socket.sethostname(socket.gethostname())` },
  "more open files": { code: `resource.setrlimit(resource.RLIMIT_NOFILE, (100000, 100000))` },
  "longer files": { code: `resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 40, 1 << 40))` },
  "core files": {
    code: `resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))`,
  },
  "a better place in the queue": { code: `os.nice(-5)` },
  "the processor for itself": {
    code: `os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))`,
  },
  "the numbers of x32": { code: `call(0x40000000 | 39)` },
  "the calls of 32-bit programs": {
    code: `
if os.uname().machine != "x86_64": raise Refused("none here")
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
page.write(b"\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3") # mov eax, 20 (getpid); int 0x80; ret
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
ctypes.CFUNCTYPE(ctypes.c_int)(address)()`,
    killed: true,
  },
};

function program(code: string): string {
  const body = code
    .trim()
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
  return PRELUDE + body + POSTLUDE;
}

test("the corpus is large enough to mean something", () => {
  assert.ok(Object.keys(ATTEMPTS).length >= 120, `${Object.keys(ATTEMPTS).length} attempts`);
});

for (const [name, { code, killed }] of Object.entries(ATTEMPTS)) {
  test(`Jail refuses Python ${name}`, { skip }, async () => {
    const { stdout, stderr, exit } = await jail.run({
      argv: [PYTHON, "-I", "-c", program(code)],
      read: [canaries.shared],
      write: [canaries.work],
      limits: { wallMs: 20_000 },
      input: `${facts}\n`,
    });
    const said = `${stdout} ${stderr} ${JSON.stringify(exit)}`;
    assert.doesNotMatch(said, /REACHED/);
    assert.ok(!said.includes(canaries.word), said);
    assert.equal(exit.stopped, null, said);
    if (killed && process.arch === "x64") assert.equal(exit.signal, "SIGSYS", said);
    else assert.match(said, /refused:|bwrap: |su: /);
    assert.deepEqual(canaries.reached(), []);
  });
}

test("without a jail the attempts marked so do succeed, so that they prove something", {
  skip,
}, async (t) => {
  const failed: string[] = [];
  for (const [name, { code, open }] of Object.entries(ATTEMPTS)) {
    if (open !== true) continue;
    const control = await controlCanaries();
    const { stdout } = await runProcess([PYTHON, "-I", "-c", program(code)], { input: `${control}\n` });
    if (!stdout.toString().includes("REACHED")) failed.push(`${name}: ${stdout.toString().trim()}`);
  }
  if (failed.length > 0) t.diagnostic(`refused here even without a jail: ${failed.join("; ")}`);
  const open = Object.values(ATTEMPTS).filter((attempt) => attempt.open).length;
  assert.ok(failed.length <= open / 4, failed.join("\n"));
});

/** The control runs reach things on purpose: not those the jail is judged by. */
let control: Awaited<ReturnType<typeof jailCanaries>> | undefined;
after(() => control?.[Symbol.asyncDispose]());
async function controlCanaries(): Promise<string> {
  control ??= await jailCanaries();
  return JSON.stringify({ ...control.facts, numbers });
}

test("Every forbidden system call fails, and every call this Deputy does not know", { skip }, async () => {
  const code = `
for name, nr in N.items():
    if nr is None or name not in F["forbidden"]: continue
    try: call(nr, 0, 0, 0, 0, 0, 0); print("open:", name)
    except OSError as e:
        if e.errno != errno.EPERM: print("wrong:", name, e)
for nr in list(range(424, 520)) + [1000, 0x40000000, 0x7fffffff]:
    if nr in F["harmless"]: continue
    try: call(nr, 0, 0, 0, 0, 0, 0); print("open:", nr)
    except OSError as e:
        if e.errno not in (errno.ENOSYS, errno.EPERM) and nr != 452: print("wrong:", nr, e)
raise Refused("all")`;
  const input = JSON.stringify({
    ...canaries.facts,
    numbers,
    forbidden: Object.keys(FORBIDDEN),
    harmless: Object.values(HARMLESS_SHARED),
  });
  const { stdout, stderr } = await jail.run({
    argv: [PYTHON, "-I", "-c", program(code)],
    input: `${input}\n`,
  });
  assert.equal(`${stdout}${stderr}`.trim(), "refused: Refused all");
});

test("Nothing that was tried left anything in the writable folder but plain files and links", {
  skip,
}, () => {
  for (const entry of readdirSync(canaries.work, { withFileTypes: true }))
    assert.ok(entry.isFile() || entry.isSymbolicLink(), entry.name);
});
