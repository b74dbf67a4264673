/** Runs the benchmarks named, or all, one after another: side by side they would measure each other. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const wanted = process.argv.slice(2);
const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".ts") && file !== "run.ts");
let failed = false;
for (const file of files.sort()) {
  if (wanted.length > 0 && !wanted.includes(file.replace(/\.ts$/, ""))) continue;
  console.log(`\n${file}`);
  const flags = ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, file)];
  if (spawnSync(process.execPath, flags, { stdio: "inherit" }).status !== 0) failed = true;
}
process.exitCode = failed ? 1 : 0;
