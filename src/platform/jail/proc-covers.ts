import { readdirSync, statSync } from "node:fs";

/** Per process, or links to such. */
const OF_PROCESSES = /^(?:\d+|self|thread-self|net|mounts)$/;

/** Readable, and nobody's business: the session's keys, the boot loader's arguments, where the kernel lies. */
const PRIVATE = new Set(["cmdline", "config.gz", "kallsyms", "key-users", "keys", "version_signature"]);

/**
 * Arguments of bwrap that cover what of /proc belongs to the machine. To the kernel a jailed program of root is still
 * root where it asks for the user and not for a capability: /proc/sys could be written, and with core_pattern a
 * program be run outside.
 */
export function procCovers(): string[] {
  return readdirSync("/proc").flatMap((name) => {
    if (OF_PROCESSES.test(name)) return [];
    const path = `/proc/${name}`;
    try {
      const { mode } = statSync(path);
      if ((mode & 0o170000) === 0o040000) return ["--tmpfs", path, "--remount-ro", path];
      const open = (mode & 0o777) === 0o444 && !PRIVATE.has(name);
      return open ? [] : ["--ro-bind", "/dev/null", path];
    } catch {
      return []; // gone since it was listed
    }
  });
}
