/**
 * Runs every test file and ends with what could not run here, and why. Arguments are file names to run instead.
 */
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";

const named = process.argv.slice(2);
const files =
  named.length > 0 ? named : globSync(["src/**/*.test.ts", "test/**/*.test.ts", "skills/**/*.test.ts"]);
/** Those that start many processes take longest: with them first, no processor waits for a last long one. */
const isLong = (file: string) => /^test.(e2e|faults)/.test(file);
// Every test file, command and engine is a process: what one has compiled, none of the others compiles again.
process.env["NODE_COMPILE_CACHE"] ??= resolve("node_modules/.cache/deputy");
const skipped: string[] = [];
let failed = false;

const results = run({
  files: files.toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)) || (a < b ? -1 : 1)),
  // One more than processors: some wait for a browser, or for a time to pass. Not all there may be, or they wait for memory.
  concurrency: Math.min(availableParallelism() + 1, 8),
  isolation: "process",
});
results.on("test:fail", (event) => {
  if (event.todo === undefined) failed = true;
});
results.on("test:pass", (event) => {
  if (event.skip !== undefined) skipped.push(`${event.name}: ${String(event.skip)}`);
});
results.on("end", () => {
  process.on("exit", () => {
    if (skipped.length === 0) return;
    console.log(`\nCould not run here (${skipped.length}):`);
    for (const line of skipped.sort()) console.log(`  ${line}`);
  });
  process.exitCode = failed ? 1 : 0;
});
results.compose(new spec()).pipe(process.stdout);
