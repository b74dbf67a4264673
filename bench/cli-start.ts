/**
 * How long a command takes to its first byte beyond Node's own start: `deputy --version` (no engine) and
 * `deputy engine status` (with a running one), beside `node -e`. Target: under 150 ms.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROUNDS = 15;
const TARGET_MS = 150;
const home = mkdtempSync(join(tmpdir(), "deputy-bench-"));
const launcher = resolve(import.meta.dirname, "../bin/deputy");
const env = { PATH: process.env["PATH"], HOME: home, DEPUTY_HOME: join(home, "deputy") };

async function firstByte(args: string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let at = 0;
  child.stdout.once("data", () => (at = performance.now() - start));
  child.stdout.resume();
  await new Promise((done) => child.on("close", done));
  return at;
}

const commands = {
  "node -e": ["-e", "process.stdout.write('x')"],
  "deputy --version": [launcher, "--version"],
  "deputy engine status": [launcher, "engine", "status"],
};
const times: Record<string, number[]> = {};
await firstByte([launcher, "engine", "start"]);
for (let round = -2; round < ROUNDS; round++) {
  for (const [name, args] of Object.entries(commands)) {
    const took = await firstByte(args);
    if (round >= 0) (times[name] ??= []).push(took);
  }
}
await firstByte([launcher, "engine", "stop"]);
rmSync(home, { recursive: true, force: true });

const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
const floor = median(times["node -e"] ?? []);
for (const [name, list] of Object.entries(times)) {
  const over = median(list) - floor;
  const verdict =
    name === "node -e"
      ? "floor"
      : `+${over.toFixed(0)} ms over node (target ${TARGET_MS}): ${over < TARGET_MS ? "met" : "MISSED"}`;
  console.log(
    `${name.padEnd(22)} median ${median(list).toFixed(0)} ms, least ${Math.min(...list).toFixed(0)} ms  ${verdict}`,
  );
}
