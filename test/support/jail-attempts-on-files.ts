import type { Attempt } from "./jail-attempt.ts";

/** Files, /proc and rights. `F` are the facts about the canaries; see escape-python.test.ts for what else there is. */
export const ATTEMPTS_ON_FILES: Record<string, Attempt> = {
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
};
