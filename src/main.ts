/** What bin/deputy starts: the command line, and behind it the entries that only some commands need. */
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "./entry/cli/index.ts";
import { callingAgent, homePaths, prepareHome, readEnvironment } from "./platform/for-commands.ts";

const LAUNCHER = fileURLToPath(new URL("../bin/deputy", import.meta.url));

// A reader may close early (deputy log | head), and a disk may be full where the output goes.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.stderr.write(`deputy: Cannot write the output (${error.code})\n`);
    process.exit(error.code === "EPIPE" ? 0 : 1);
  });
}

async function loadMcp() {
  const { createMcp } = await import("./entry/mcp/index.ts");
  const { findProgram, writeFileAtomic } = await import("./platform/index.ts");
  const env = readEnvironment();
  const { platform } = process;
  const home = env["HOME"] || homedir();
  const config =
    platform === "win32"
      ? env["APPDATA"] || join(home, "AppData", "Roaming")
      : platform === "darwin"
        ? join(home, "Library", "Application Support")
        : env["XDG_CONFIG_HOME"] || join(home, ".config");
  const own = env["DEPUTY_HOME"];
  const paths = homePaths(env);
  return createMcp({
    places: { platform, home, config, env },
    home: paths.home,
    prepareHome: () => prepareHome(paths),
    command: [process.execPath, LAUNCHER, "mcp"],
    env: own === undefined || own === "" ? {} : { DEPUTY_HOME: own },
    write: writeFileAtomic,
    hasProgram: (name) => findProgram(name, env) !== undefined,
    byAgent: callingAgent(env) !== undefined,
  });
}

async function loadUnits() {
  const { createUserUnits } = await import("./platform/index.ts");
  const env = readEnvironment();
  return createUserUnits({
    env,
    platform: process.platform,
    command: [process.execPath, LAUNCHER],
    logs: homePaths(env).logs,
  });
}

process.exitCode = await main(process.argv.slice(2), { mcp: loadMcp, units: loadUnits });
