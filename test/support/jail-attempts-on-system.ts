import type { Attempt } from "./jail-attempt.ts";

/** The network, other processes and the kernel. */
export const ATTEMPTS_ON_SYSTEM: Record<string, Attempt> = {
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
