import { lstatSync, readlinkSync, realpathSync } from "node:fs";

/** What of the system every program needs to run: its folders, and the few files of /etc that hold no one's data. */
const FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];
const FILES = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"];

/** Names and certificates. /etc/ssl as a whole would bring private keys along. */
const NETWORK_FILES = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/services",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust/extracted",
];

/** Arguments of bwrap that put the system in place; a merged /usr keeps its symbolic links. */
export function systemPaths(net: boolean): string[] {
  return [...FOLDERS, ...FILES, ...(net ? NETWORK_FILES : [])].flatMap((path) => {
    try {
      if (FOLDERS.includes(path) && lstatSync(path).isSymbolicLink())
        return ["--symlink", readlinkSync(path), path];
      return ["--ro-bind", realpathSync(path), path];
    } catch {
      return []; // not on this system
    }
  });
}
