import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import { createJail, findProgram, readEnvironment } from "../../src/platform/index.ts";

/** What a machine is, and how busy before a run. A browser that is not there is null. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly system: string;
  readonly node: string;
  readonly chromium: string | null;
  readonly firefox: string | null;
  /** How far code of skills can be confined here. */
  readonly isolation: string;
  /** Of the last minute. */
  readonly load: number;
}

export async function describeMachine(): Promise<Machine> {
  const env = readEnvironment();
  const jail = await createJail({ env });
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memory_gb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.versions.node,
    chromium: version(["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]),
    firefox: version(["firefox-esr", "firefox"]),
    isolation: jail.reason === undefined ? jail.level : `${jail.level}: ${jail.reason}`,
    load: loadavg()[0] ?? 0,
  };

  function version(names: readonly string[]): string | null {
    const path = names.map((name) => findProgram(name, env)).find((found) => found !== undefined);
    if (path === undefined) return null;
    const said = execFileSync(path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return /\d[\d.]+\w*/.exec(said)?.[0] ?? "unknown";
  }
}
