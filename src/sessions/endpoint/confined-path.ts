import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";

/** Where a path really leads, if that exists and is in the folder. */
export function confinedPath(folder: string, path: string): string | undefined {
  if (!isAbsolute(path)) return undefined;
  try {
    const real = realpathSync(path);
    const inside = relative(realpathSync(folder), real);
    return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? undefined : real;
  } catch {
    return undefined;
  }
}
