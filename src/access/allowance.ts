import { isAbsolute, normalize, relative } from "node:path";
import { DeputyError } from "../kernel/index.ts";
import type { Grant } from "./grant.ts";
import type { Needs } from "./grant-request.ts";

/** What a grant opens besides a login. A path stands for the file or for all of the folder. */
export type Allowance = "network" | "hosts:any" | `binary:${string}` | `path:${string}`;

/** A program by its name: a path would let the file behind it be exchanged. */
const BINARY = /^[A-Za-z0-9_+][A-Za-z0-9._+-]{0,127}$/;

export function parseAllowance(text: string): Allowance {
  if (text === "network" || text === "hosts:any") return text;
  const [, kind, name = ""] = /^(binary|path):([^\p{Cc}]+)$/su.exec(text) ?? [];
  if (kind === "binary" && BINARY.test(name)) return `binary:${name}`;
  if (kind === "path" && isAbsolute(name)) return `path:${normalize(name)}`;
  throw new DeputyError("BAD_INPUT", "Cannot allow that: it is no program, path or network", {
    hint: "For example: --allow binary:git,network (or path:/a/folder, hosts:any)",
  });
}

/** In words, what of the needs the grant does not open. */
export function lacks(grant: Pick<Grant, "expose" | "allow">, needs: Needs): string[] {
  const has = (allowance: Allowance) => grant.allow.includes(allowance);
  const roots = grant.allow.filter((one) => one.startsWith("path:")).map((one) => one.slice("path:".length));
  const binaries = needs.binaries?.filter((name) => !has(`binary:${name}`)) ?? [];
  const paths = needs.paths?.filter((path) => !roots.some((root) => isWithin(path, root))) ?? [];
  return [
    ...(needs.expose === true && !grant.expose ? ["see the credential itself"] : []),
    ...(needs.network === true && !has("network") ? ["give programs the network"] : []),
    ...(needs.anyHost === true && !has("hosts:any") ? ["reach any host"] : []),
    ...(binaries.length > 0 ? [`start ${binaries.join(", ")}`] : []),
    ...(paths.length > 0 ? [`read ${paths.join(", ")}`] : []),
  ];
}

/** The options of `deputy grants add` that would cover the needs. */
export function allowancesFor(needs: Needs): Allowance[] {
  return [
    ...(needs.network === true ? ["network" as const] : []),
    ...(needs.anyHost === true ? ["hosts:any" as const] : []),
    ...(needs.binaries ?? []).map((name) => `binary:${name}` as const),
    ...(needs.paths ?? []).map((path) => `path:${path}` as const),
  ];
}

/** A path that is not in its plain form is within nothing: `..` would lead out again. */
function isWithin(path: string, root: string): boolean {
  if (!isAbsolute(path) || normalize(path) !== path) return false;
  const way = relative(root, path);
  return way === "" || (!isAbsolute(way) && way.split(/[\\/]/)[0] !== "..");
}
