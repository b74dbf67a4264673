import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where a profile keeps its cookies: below `Network` on Windows and in newer profiles, beside the rest elsewhere. */
export function chromiumStorePath(profile: string): string {
  const newer = join(profile, "Network", "Cookies");
  return existsSync(newer) ? newer : join(profile, "Cookies");
}

/** The folder all profiles of one browser lie in, which one running browser at a time has to itself. */
export function userDataOf(profile: string): string {
  return existsSync(join(profile, "Local State")) ? profile : dirname(profile);
}
