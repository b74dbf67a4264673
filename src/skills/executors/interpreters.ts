/** Programs whose arguments are programs. A grant for one of them would be a grant for everything. */
const NAMES = new Set(
  [
    "sh bash rbash dash ash zsh fish ksh mksh csh tcsh pwsh powershell nu elvish busybox toybox",
    "python pypy node nodejs deno bun perl ruby irb php lua luajit tclsh wish expect guile racket java jshell",
    "awk gawk mawk nawk osascript swift Rscript R julia octave gdb lldb sqlite3 psql make cmake ninja",
    "env xargs parallel nohup nice ionice timeout setsid stdbuf time watch script strace ltrace",
    "sudo doas su runuser chroot unshare nsenter bwrap firejail systemd-run flatpak docker podman npx uvx",
    "ld.so ld-linux.so ld-linux-x86-64.so ld-linux-aarch64.so ld-musl-x86_64.so ld-musl-aarch64.so",
  ]
    .join(" ")
    .split(" "),
);

/** Programs that become one with these arguments. */
const STARTING: Readonly<Record<string, RegExp>> = {
  find: /^-(exec|execdir|ok|okdir)$/,
  fd: /^(-x|-X|--exec|--exec-batch)/,
  vim: /./,
  vi: /./,
  emacs: /./,
};

/** Whether a program, by any of its names, runs what it is told to. Versions are part of many names: `python3.12`. */
export function isInterpreter(name: string, args: readonly string[] = []): boolean {
  const bare = name.replace(/\.exe$/i, "").replace(/[-.]?\d+(\.\d+)*[a-z]?$/, "");
  if (NAMES.has(name) || NAMES.has(bare)) return true;
  const starting = STARTING[name];
  return starting !== undefined && args.some((arg) => starting.test(arg));
}

/** One file for many programs, which does what it is called: there every `grep` is a link to a shell. */
export function isManyPrograms(name: string): boolean {
  return /^(busybox|toybox|coreutils)$/.test(name);
}
