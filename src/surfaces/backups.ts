import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../platform/index.ts";

const KEPT = 3;

/** Keeps a profile's store as it is now, and only the last few of those before. */
export function keepBackup(folder: string, profile: string, image: Uint8Array, now: number): void {
  const own = join(folder, createHash("sha256").update(profile).digest("hex").slice(0, 16));
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const stamp = new Date(now).toISOString().replace(/[:.]/g, "-");
  writeFileAtomic(join(own, `Cookies-${stamp}`), image);
  const old = readdirSync(own)
    .filter((name) => name.startsWith("Cookies-"))
    .sort()
    .slice(0, -KEPT);
  for (const name of old) rmSync(join(own, name), { force: true });
}
