import type { Command } from "commander";
import { type EngineStatus, findEngine, openEngine, stopEngine } from "../../../engine/index.ts";
import { define, group } from "../define.ts";
import { exitStatus } from "../exit-status.ts";

export function addEngine(program: Command): void {
  const engine = group(
    program,
    "engine",
    "the process that holds the key; commands start it when they need it",
  );
  define(engine, {
    usage: "start",
    summary: "start the engine by hand: overrides in the environment then count",
    example: "deputy engine start",
    async run(shell) {
      using running = await findEngine({ via: "cli" });
      if (running === undefined) (await openEngine({ via: "cli", byHand: true }))[Symbol.dispose]();
      const status = await shell.call("engine.status", {});
      shell.show(status, `${running === undefined ? "Started" : "Already running"}, process ${status.pid}.`);
    },
  });
  define(engine, {
    usage: "stop",
    summary: "stop the engine; the next command that needs it starts it",
    example: "deputy engine stop",
    async run(shell) {
      const running = await findEngine({ via: "cli" });
      if (running === undefined) return shell.show({ stopped: false }, "It was not running.");
      await stopEngine(running);
      return shell.show({ stopped: true }, "Stopped.");
    },
  });
  define(engine, {
    usage: "status",
    summary: "the engine's uptime, memory and last error",
    example: "deputy engine status",
    async run(shell) {
      using running = await findEngine({ via: "cli" });
      if (running === undefined) {
        shell.show({ running: false }, "It is not running. The next command that needs it starts it.");
        return exitStatus("ENGINE_UNREACHABLE");
      }
      const status = await running.call("engine.status", {});
      shell.show(status, describeEngine(status));
      return 0;
    },
  });
}

export function describeEngine(status: EngineStatus): string {
  const lines = [
    `Engine ${status.version}, process ${status.pid}, up ${duration(status.uptime_ms)}, ` +
      `${Math.round(status.memory_bytes / 1_048_576)} MB, ${status.connections} connected`,
  ];
  if (status.last_error !== null)
    lines.push(`Last error: ${status.last_error.message} (${status.last_error.at})`);
  if (status.overrides.length > 0) lines.push(`Overrides in force: ${status.overrides.join(", ")}`);
  return lines.join("\n");
}

function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.floor(ms / 1000)} s`;
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
