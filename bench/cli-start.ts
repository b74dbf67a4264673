/**
 * How long a command takes to its first byte beyond Node's own start: `deputy --version` (no engine), `deputy status` (with a
 * running one) and the same where the engine has to be started first, beside `node -e`. Targets: at most 100 ms more, and
 * 400 ms with the engine's start.
 */
import { spawn } from "node:child_process";
import { launcher, TestHome } from "../test/support/deputy.ts";
import { inTurns } from "./support/in-turns.ts";
import { report } from "./support/report.ts";

await using home = new TestHome({ bare: true });

/** The milliseconds to its first byte. */
async function firstByte(args: readonly string[]): Promise<number> {
  const begun = performance.now();
  const env = home.environment();
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let at = 0;
  child.stdout.once("data", () => (at = performance.now() - begun));
  child.stdout.resume();
  await new Promise((done) => child.on("close", done));
  return at;
}
const deputy = (...args: string[]) => firstByte([launcher, ...args]);

await deputy("engine", "start");
const times = await inTurns(
  {
    node: () => firstByte(["-e", "process.stdout.write('x')"]),
    version: () => deputy("--version"),
    status: () => deputy("status"),
    starting: { before: () => home.stopEngine(), run: () => deputy("status") },
  },
  { rounds: 15, warmUp: 2, seconds: 15 },
);

const beside = { what: "node -e", samples: times.node };
const target = { kind: "added at most", value: 100 } as const;
report({ what: "deputy --version", unit: "ms", ours: times.version, beside, target });
report({ what: "deputy status", unit: "ms", ours: times.status, beside, target });
report({
  what: "deputy status, the engine has to start",
  unit: "ms",
  ours: times.starting,
  beside,
  target: { ...target, value: 400 },
});
