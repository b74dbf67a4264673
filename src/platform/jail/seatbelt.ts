import { DeputyError } from "../../kernel/index.ts";
import type { Bind } from "./binds.ts";
import type { JailLimits, JailSpec } from "./jail.ts";
import { DEFAULT_ENVIRONMENT, type Launch } from "./launch.ts";

/** What programs of macOS need to start at all; none of it is anybody's data. */
const SYSTEM = [
  ..."/usr /bin /sbin /System /Library/Apple /Library/Frameworks /Library/Developer/CommandLineTools".split(
    " ",
  ),
  ..."/opt/homebrew /private/var/db/dyld /private/var/db/timezone".split(" "),
];
const SYSTEM_FILES = ["/", "/dev/null", "/dev/urandom", "/dev/random", "/private/etc/localtime"];
const NETWORK_FILES = ["/private/etc/hosts", "/private/etc/resolv.conf", "/private/etc/ssl/cert.pem"];

/**
 * A Seatbelt profile (SBPL): everything is refused but what is named. There are no binds on macOS, so a path is the
 * same inside and outside.
 */
export function seatbeltProfile(spec: JailSpec, binds: readonly Bind[]): string {
  const readable = binds.filter((bind) => !bind.writable).map((bind) => bind.from);
  const writable = binds.filter((bind) => bind.writable).map((bind) => bind.from);
  const parents = [...readable, ...writable].flatMap(ancestors);
  return [
    "(version 1)",
    "(deny default)",
    "(deny process-info* (target others))",
    "(deny signal (target others))",
    "(allow process-info* (target self))",
    "(allow signal (target self))",
    "(allow sysctl-read)",
    rule("allow file-read*", "subpath", [...SYSTEM, ...readable, ...writable]),
    rule("allow file-read*", "literal", [...SYSTEM_FILES, ...(spec.net === true ? NETWORK_FILES : [])]),
    rule("allow file-read-metadata", "literal", ["/etc", "/var", "/tmp", ...parents]),
    rule("allow file-write*", "subpath", writable),
    // No set-user-id files, devices or sockets in a writable folder.
    "(deny file-write-setugid)",
    "(deny file-write-create (vnode-type BLOCK-DEVICE CHARACTER-DEVICE FIFO SOCKET))",
    rule("allow file-write-data file-ioctl", "literal", ["/dev/null"]),
    rule("allow process-exec*", "subpath", [...SYSTEM, ...readable]),
    ...(spec.fork === true ? ["(allow process-fork)"] : []),
    ...(spec.net === true
      ? [
          '(allow network-outbound (remote ip "*:*"))',
          '(allow network-inbound (local ip "localhost:*"))',
          "(allow system-socket (socket-domain AF_INET) (socket-domain AF_INET6))",
          '(allow mach-lookup (global-name "com.apple.dnssd.service"))',
        ]
      : []),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

/** Limits the shell can set; the rest is watched from outside. sandbox-exec adds nothing to the environment. */
const LIMITED = 'ulimit -c 0; ulimit -n "$1"; ulimit -f "$2"; shift 2; exec "$@"';

export function seatbeltLaunch(spec: JailSpec, binds: readonly Bind[], limits: JailLimits): Launch {
  for (const path of [...(spec.read ?? []), ...(spec.write ?? [])])
    if (typeof path !== "string" && path.from !== path.to)
      throw new DeputyError(
        "UNSUPPORTED",
        `Cannot show ${path.from} as ${path.to}: macOS has no such mounts`,
      );
  const blocks = Math.ceil(limits.fileBytes / 512);
  const limited = ["-c", LIMITED, "sh", String(limits.openFiles), String(blocks)];
  return {
    argv: ["/bin/sh", ...limited, "/usr/bin/sandbox-exec", "-p", seatbeltProfile(spec, binds), ...spec.argv],
    env: spec.env ?? DEFAULT_ENVIRONMENT,
    cwd: spec.cwd ?? "/",
    told: [],
    reports: false,
  };
}

function rule(action: string, filter: "subpath" | "literal", paths: readonly string[]): string {
  const unique = [...new Set(paths)];
  if (unique.length === 0) return "";
  return `(${action}\n${unique.map((path) => `  (${filter} ${quote(path)})`).join("\n")})`;
}

function quote(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function ancestors(path: string): string[] {
  const parts = path.split("/").slice(1, -1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
}
