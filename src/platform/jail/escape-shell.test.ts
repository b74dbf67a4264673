/**
 * Attempts to get out of a jail with the programs of the system, from a shell that may start processes, and from
 * Node. An attempt says REACHED, or the canary, where it got somewhere.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { jailCanaries } from "../../../test/support/jail-canaries.ts";
import { createJail, type JailSpec, readEnvironment } from "../index.ts";

const jail = await createJail({ env: readEnvironment() });
const skip = jail.level === "reduced" && `no jail: ${jail.reason}`;
const canaries = await jailCanaries();
after(() => canaries[Symbol.asyncDispose]());
const own = `DEPUTY_JAIL_TEST_${process.pid}`;
process.env[own] = canaries.word;
after(() => delete process.env[own]);
const { facts } = canaries;
const NODE = process.execPath;

/** A program that is not installed proves nothing, so the attempt is skipped. */
const SHELL: Record<string, readonly [needs: string, script: string]> = {
  "reading a file": ["cat", `cat ${facts["secret"]}`],
  "reading by a link": ["cat", `cat ${facts["shared"]}/link`],
  "reading by dots": ["cat", `cd ${facts["shared"]} && cat ../outside/secret.txt`],
  "searching every file": ["grep", `grep -rs "$1" / --exclude-dir=proc --exclude-dir=usr`],
  "searching every process": ["cat", "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'"],
  "searching every root": ["cat", `cat /proc/[0-9]*/root${facts["secret"]}`],
  "searching every folder of a process": ["ls", `cat /proc/[0-9]*/cwd/..${facts["secret"]}`],
  "searching every descriptor": [
    "cat",
    'for f in /proc/[0-9]*/fd/*; do case $f in */[012]) ;; *) timeout 1 cat "$f";; esac; done',
  ],
  "binding over a file": ["mount", `mount --bind /tmp ${facts["shared"]} && echo REACHED`],
  "remounting the system": ["mount", "mount -o remount,rw /usr && echo REACHED"],
  "remounting a shown folder": ["mount", `mount -o remount,bind,rw ${facts["shared"]} && echo REACHED`],
  "mounting a disk": ["mount", "mount -t ext4 /dev/vda /tmp && echo REACHED"],
  "mounting /proc anew": ["mount", "mount -t proc proc /tmp && echo REACHED"],
  "unmounting a cover": ["umount", "umount /proc/sys && echo REACHED"],
  "a user namespace": ["unshare", "unshare -U true && echo REACHED"],
  "a user namespace as its root": ["unshare", "unshare -Ur cat /proc/self/uid_map && echo REACHED"],
  "a network namespace": ["unshare", "unshare -n true && echo REACHED"],
  "process 1's namespaces": ["nsenter", "nsenter -t 1 -a true && echo REACHED"],
  "another root": ["chroot", "chroot /usr /bin/true && echo REACHED"],
  "a jail in the jail": ["bwrap", "bwrap --ro-bind / / --unshare-user true && echo REACHED"],
  "a jail without a user namespace": ["bwrap", "bwrap --ro-bind / / true && echo REACHED"],
  "becoming root by su": ["su", "echo | su -c 'echo REACHED'"],
  "becoming root by setpriv": ["setpriv", "setpriv --reuid 0 echo REACHED"],
  "becoming root by a set-user-id file": [
    "chmod",
    `cp /usr/bin/id ${facts["work"]}/id && chmod u+s ${facts["work"]}/id && echo REACHED`,
  ],
  "files with capabilities": [
    "setcap",
    `cp /usr/bin/id /tmp/id && setcap cap_sys_admin+ep /tmp/id && echo REACHED`,
  ],
  "owning a file as root": ["chown", "touch /tmp/a && chown 0:0 /tmp/a && echo REACHED"],
  "a device": ["mknod", `mknod ${facts["work"]}/disk b 254 0 && echo REACHED`],
  "a FIFO": ["mkfifo", `mkfifo ${facts["work"]}/fifo && echo REACHED`],
  "killing outside": ["kill", `/bin/kill -9 ${facts["victim"]} && echo REACHED`],
  "listing processes": ["ps", `ps -p ${facts["victim"]} && echo REACHED`],
  "tracing process 1": ["strace", "timeout 2 strace -p 1 2>&1 | grep attached && echo REACHED"],
  "tracing a child": ["strace", "strace -f true && echo REACHED"],
  "debugging process 1": ["gdb", "gdb -batch -p 1 2>&1 | grep -q 'in wait' && echo REACHED"],
  "the web": [
    "curl",
    `curl -s -m 2 http://127.0.0.1:${facts["port"]}/ ; curl -s -m 2 --unix-socket ${facts["shared"]}/socket http://a/`,
  ],
  "a bare connection": ["bash", `bash -c 'cat </dev/tcp/127.0.0.1/${facts["port"]}'`],
  "an abstract socket": ["socat", `timeout 2 socat - ABSTRACT-CONNECT:${facts["abstract"]}`],
  "a netcat": ["nc", `timeout 2 nc 127.0.0.1 ${facts["port"]}`],
  interfaces: ["ip", "ip link show && echo REACHED"],
  names: ["getent", "getent hosts localhost && echo REACHED"],
  "the session's keys": ["keyctl", "keyctl show && echo REACHED"],
  "the kernel's messages": ["dmesg", "dmesg && echo REACHED"],
  "the kernel's settings": ["sysctl", "sysctl -w kernel.hostname=jail && echo REACHED"],
  modules: ["modprobe", "modprobe -n nothing_like_it && modprobe dummy && echo REACHED"],
  "shared memory": ["ipcmk", "ipcmk -M 4096 && echo REACHED"],
  "the machine's shared memory": ["ls", "touch /dev/shm/deputy-was-here && echo REACHED"],
  "a terminal": ["script", "script -qc 'echo REACHED' /dev/null"],
  "more open files": ["true", "ulimit -n 100000 && echo REACHED"],
  "core files": ["true", "ulimit -c unlimited && echo REACHED"],
  "a higher priority": ["renice", "renice -n -5 -p $$ && echo REACHED"],
  "a real-time priority": ["chrt", "chrt -f 1 true && echo REACHED"],
  "an alias that is a shell": ["git", `git -c alias.x='!cat ${facts["secret"]}' x`],
  "git's settings of the owner": ["git", "git config --global --list && echo REACHED"],
  "an agent of SSH": ["ssh-add", "ssh-add -l && echo REACHED"],
  "the owner's cron": ["crontab", "crontab -l && echo REACHED"],
  "the system's services": ["systemctl", "systemctl --user list-units && echo REACHED"],
  "a job that outlives the jail": [
    "setsid",
    `setsid sh -c "sleep 1; echo REACHED > ${facts["work"]}/later" & true`,
  ],
};

const NODE_ATTEMPTS: Record<string, string> = {
  "reading a file": `print(fs.readFileSync(F.secret))`,
  "reading by a link": `print(fs.readFileSync(F.shared + "/link"))`,
  "reading by a link it makes": `fs.symlinkSync(F.secret, "/tmp/l"); print(fs.readFileSync("/tmp/l"))`,
  "reading process 1's environment": `print(fs.readFileSync("/proc/1/environ"))`,
  "its own environment": `print(JSON.stringify(process.env))`,
  "a report with its environment": `print(JSON.stringify(process.report.getReport()))`,
  "a connection": `await reach(net.connect(F.port, "127.0.0.1"))`,
  "an abstract socket": `await reach(net.connect("\\0" + F.abstract))`,
  "a socket in a shown folder": `await reach(net.connect(F.shared + "/socket"))`,
  datagrams: `dgram.createSocket("udp4").on("error", () => {}).send("x", 9, "127.0.0.1", (e) => { if (!e) print("REACHED") })`,
  fetch: `print(await (await fetch("http://127.0.0.1:" + F.port)).text())`,
  names: `print(await dns.promises.resolve4("example.com")); print("REACHED")`,
  listening: `await new Promise((ok, no) => net.createServer().on("error", no).listen(0, ok)); print("REACHED")`,
  "listening on a path": `await new Promise((ok, no) => net.createServer().on("error", no).listen(F.work + "/s", ok)); print("REACHED")`,
  inspector: `inspector.open(0, "127.0.0.1"); if (inspector.url()) print("REACHED")`,
  "a child": `print(cp.execFileSync("/bin/echo", ["REACHED"]))`,
  "a forked Node": `cp.fork("/dev/null"); print("REACHED")`,
  "a signal": `process.kill(F.victim, 9); print("REACHED")`,
  "a signal to its parent": `process.kill(F.parent, 0); print("REACHED")`,
  "another program in its place": `process.execve("/bin/cat", ["cat", F.secret], {})`,
  "another user": `process.setuid(0); print("REACHED")`,
  "a set-user-id file": `fs.writeFileSync(F.work + "/x", "", { mode: 0o4755 }); print("REACHED")`,
  "writing a shown file": `fs.writeFileSync(F.shared + "/data.txt", ""); print("REACHED")`,
  "a native library": `process.dlopen({ exports: {} }, F.shared + "/tool"); print("REACHED")`,
  "a database outside": `new (require("node:sqlite").DatabaseSync)(F.outside + "/made.db").exec("create table a(b)"); print("REACHED")`,
  "users of the machine": `print(os.userInfo().username); print("REACHED")`,
  interfaces: `if (Object.keys(os.networkInterfaces()).length) print("REACHED")`,
  priority: `os.setPriority(-5); print("REACHED")`,
};

const PRELUDE = `
const fs = require("node:fs"), net = require("node:net"), dgram = require("node:dgram"), dns = require("node:dns");
const os = require("node:os"), cp = require("node:child_process"), inspector = require("node:inspector");
const F = JSON.parse(fs.readFileSync(0, "utf8"));
const print = (x) => console.log(String(x));
const reach = (socket) => new Promise((ok, no) => socket.on("data", (d) => ok(print(d))).on("error", no));
process.on("uncaughtException", (e) => console.log("refused", e.code));
`;

async function holds(spec: JailSpec & { input?: string }): Promise<void> {
  const { stdout, stderr, exit } = await jail.run({
    read: [canaries.shared, NODE],
    write: [canaries.work],
    limits: { wallMs: 20_000 },
    ...spec,
  });
  const said = `${stdout}${stderr}${JSON.stringify(exit)}`;
  assert.doesNotMatch(said, /REACHED/);
  assert.ok(!said.includes(canaries.word), said);
  assert.equal(exit.stopped, null, said);
  assert.deepEqual(canaries.reached(), []);
}

const installed = (name: string) =>
  ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].some((folder) => existsSync(`${folder}/${name}`));

for (const [name, [needs, script]] of Object.entries(SHELL))
  test(`Jail keeps a shell from ${name}`, { skip: skip || (!installed(needs) && `no ${needs}`) }, () =>
    holds({
      argv: ["/bin/sh", "-c", script, "sh", canaries.word.slice(0, -1)],
      fork: true,
      env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
    }),
  );

for (const [name, code] of Object.entries(NODE_ATTEMPTS))
  test(`Jail keeps Node from ${name}`, { skip }, () =>
    holds({
      argv: [
        NODE,
        "--disable-warning=ExperimentalWarning",
        "-e",
        `${PRELUDE}(async () => { ${code} })().catch((e) => console.log("refused", e.code))`,
      ],
      input: JSON.stringify({ ...facts, word: "" }),
    }),
  );

test("Nothing a shell started ran on after its jail", { skip }, async () => {
  await sleep(1500);
  assert.ok(!existsSync(`${canaries.work}/later`));
});

test("Jail with the network granted reaches addresses, and still no sockets of the machine", {
  skip,
}, async () => {
  const { stdout } = await jail.run({
    argv: [
      NODE,
      "-e",
      `${PRELUDE}
const ask = (name, socket) => socket.on("data", () => print(name)).on("error", (e) => print(name + " " + e.code));
ask("tcp", net.connect(F.port, "127.0.0.1"));
ask("abstract", net.connect("\\0" + F.abstract));
ask("path", net.connect(F.shared + "/socket"));`,
    ],
    read: [canaries.shared, NODE],
    net: true,
    input: JSON.stringify(facts),
  });
  assert.deepEqual(stdout.toString().trim().split("\n").sort(), ["abstract EACCES", "path EACCES", "tcp"]);
});
