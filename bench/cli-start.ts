/**
 * How long a command takes to its first byte beyond Node's own start: `deputy --version` (no engine), `deputy status` (with a
 * running one) and the same where the engine has to be started first, beside `node -e`. Targets: under 100 ms, and under
 * 400 ms with the engine's start.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROUNDS = 15;
const TARGET_MS = 100;
const START_TARGET_MS = 400;
const STARTING = "deputy status, engine and all";
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
  "deputy status": [launcher, "status"],
  [STARTING]: [launcher, "status"],
};
const times: Record<string, number[]> = {};
await firstByte([launcher, "engine", "start"]);
for (let round = -2; round < ROUNDS; round++) {
  for (const [name, args] of Object.entries(commands)) {
    if (name === STARTING) await firstByte([launcher, "engine", "stop"]);
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
  const target = name === STARTING ? START_TARGET_MS : TARGET_MS;
  const verdict =
    name === "node -e"
      ? "floor"
      : `+${over.toFixed(0)} ms over node (target ${target}): ${over < target ? "met" : "MISSED"}`;
  console.log(
    `${name.padEnd(30)} median ${median(list).toFixed(0)} ms, least ${Math.min(...list).toFixed(0)} ms  ${verdict}`,
  );
}
