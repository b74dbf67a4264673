import { realpathSync } from "node:fs";
import { posix } from "node:path";
import { DeputyError } from "../../kernel/index.ts";
import type { JailPath, JailSpec } from "./jail.ts";

export interface Bind {
  readonly from: string;
  readonly to: string;
  readonly writable: boolean;
}

/** The jail's own: nothing may be put over these, nor, but for /tmp, into them. */
const OWN = ["/proc", "/dev", "/sys"];
const OWN_PLACES = ["/", "/tmp"];

/**
 * The spec's paths, links resolved, outer folders first so that inner ones come on top. None may be or contain a
 * guarded path: binding a home would otherwise bring Deputy's along.
 */
export function resolveBinds(spec: JailSpec, guarded: readonly string[]): Bind[] {
  const kept = guarded.map(realOrSame);
  const resolve = (writable: boolean) => (path: JailPath) => resolveBind(path, writable, kept);
  return [...(spec.read ?? []).map(resolve(false)), ...(spec.write ?? []).map(resolve(true))].sort(
    (a, b) => a.to.split("/").length - b.to.split("/").length,
  );
}

function resolveBind(path: JailPath, writable: boolean, guarded: readonly string[]): Bind {
  const { from, to } = typeof path === "string" ? { from: path, to: path } : path;
  if (!posix.isAbsolute(from) || !posix.isAbsolute(to) || `${from}${to}`.includes("\0"))
    throw new TypeError("A jail takes absolute paths");
  const inside = posix.resolve(to);
  if (OWN_PLACES.includes(inside) || OWN.some((own) => holds(own, inside)))
    throw new DeputyError("DENIED", `Cannot show ${from} as ${inside}: that place belongs to the jail`, {
      hint: "Name a file or a folder of your own.",
    });
  const real = realPath(from);
  if (guarded.some((path) => holds(real, path)))
    throw new DeputyError("DENIED", `Cannot show ${from} to a jailed program: Deputy's own files are in it`, {
      hint: "Name the folders that are needed instead.",
    });
  return { from: real, to: inside, writable };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new DeputyError("NOT_FOUND", `Cannot show ${path} to a jailed program: it is not there`, {
      hint: "Check the path, or make the file first.",
      cause,
    });
  }
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return posix.resolve(path);
  }
}

function holds(folder: string, path: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}
