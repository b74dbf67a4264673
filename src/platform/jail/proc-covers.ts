import { readdirSync, statSync } from "node:fs";

/** Per process, or links to such. */
const OF_PROCESSES = /^(?:\d+|self|thread-self|net|mounts)$/;

/** Open to everyone, and nobody's business: keys of the session, the boot loader's arguments, boot_id, load. */
const PRIVATE = new Set(["cmdline", "kallsyms", "key-users", "keys", "pressure", "sys"]);

/**
 * Arguments of bwrap that cover what of /proc belongs to the machine. To the kernel a jailed program of root is still
 * root where it asks for the user and not for a capability: it could write /proc/sys, and through core_pattern have a
 * program run outside. So root's jails see none of it but plain figures; each cover costs 0.2 ms.
 */
export function procCovers(root: boolean): string[] {
  return readdirSync("/proc").flatMap((name) => {
    if (OF_PROCESSES.test(name)) return [];
    const path = `/proc/${name}`;
    try {
      const stat = statSync(path);
      const plain = stat.isFile() && (stat.mode & 0o777) === 0o444;
      if (!PRIVATE.has(name) && (plain || !root)) return [];
      return stat.isDirectory() ? ["--tmpfs", path, "--remount-ro", path] : ["--ro-bind", "/dev/null", path];
    } catch {
      return []; // gone since it was listed
    }
  });
}
