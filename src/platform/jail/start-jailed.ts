import { constants } from "node:os";
import { Readable } from "node:stream";
import { DeputyError } from "../../kernel/index.ts";
import { type Grip, namespaceGrip } from "./grip.ts";
import { groupGrip } from "./group-grip.ts";
import type { Jailed, JailExit, JailLimits, JailSpec } from "./jail.ts";
import type { Launch } from "./launch.ts";
import { type Spawned, spawnLaunch } from "./spawn-launch.ts";
import { Watch } from "./watch.ts";

const KEPT_OF_STDERR = 4096;
/** For bwrap to put its mounts in place, on a machine that is busy with other things. */
const START_WITHIN_MS = 20_000;
/** /proc is cheap to read, ps is a process. */
const LOOK_EVERY_MS = { namespace: 50, group: 250 } as const;

/** Starts a program in a jail and holds it to its limits until it is gone. */
export async function startJailed(launch: Launch, spec: JailSpec, limits: JailLimits): Promise<Jailed> {
  if (spec.signal?.aborted) throw new DeputyError("CANCELLED", `${spec.argv[0]} was cancelled`);
  const spawned = await spawnLaunch(launch, spec.pipes === true);
  const { child } = spawned;
  const ended = Promise.withResolvers<{ status: number | null; signal: NodeJS.Signals | null }>();
  child.on("close", (status, signal) => ended.resolve({ status, signal }));

  let said = "";
  let watch: Watch | undefined;
  const meter = (source: Readable, keep: (chunk: Buffer) => void) =>
    metered(source, (chunk) => {
      keep(chunk);
      return watch?.countOutput(chunk.length) ?? true;
    });
  const stdout = meter(spawned.stdout, () => {});
  const stderr = meter(spawned.stderr, (chunk) => {
    said = (said + chunk.toString("latin1")).slice(-KEPT_OF_STDERR);
  });
  const saidText = () => Buffer.from(said, "latin1").toString("utf8");

  const giveUp = setTimeout(() => child.kill("SIGKILL"), START_WITHIN_MS);
  const grip = await takeGrip(spawned, spec);
  clearTimeout(giveUp);
  if (grip === undefined) {
    await ended.promise;
    spawned.confinement?.[Symbol.dispose]();
    throw new DeputyError(
      "UNSUPPORTED",
      `Cannot jail ${spec.argv[0]}: ${saidText().trim() || "bwrap failed"}`,
      { hint: "See whether this system lets Deputy jail programs: deputy doctor" },
    );
  }
  let stopped: JailExit["stopped"] = null;
  let over = false;
  const ending = Promise.withResolvers<NonNullable<JailExit["stopped"]>>();
  const stop = (reason: NonNullable<JailExit["stopped"]>) => {
    if (over) return;
    stopped ??= reason;
    grip.kill();
    ending.resolve(stopped);
  };
  const running = new Watch({
    limits,
    grip,
    everyMs: launch.reports ? LOOK_EVERY_MS.namespace : LOOK_EVERY_MS.group,
    stop,
  });
  watch = running;
  const onAbort = () => stop("cancelled");
  spec.signal?.addEventListener("abort", onAbort, { once: true });
  if (spec.signal?.aborted) onAbort();

  const exited = ended.promise.then(async ({ status, signal }): Promise<JailExit> => {
    over = true;
    running[Symbol.dispose]();
    spec.signal?.removeEventListener("abort", onAbort);
    await grip.gone();
    spawned.confinement?.[Symbol.dispose]();
    return { ...readStatus(status, signal), stopped, said: saidText() };
  });
  return {
    pid: spawned.pid,
    stdin: spawned.stdin,
    stdout,
    stderr,
    ...spawned.pipes,
    exited,
    ending: ending.promise,
    kill: () => stop("cancelled"),
    limit: (changed) => running.limit(changed),
  };
}

/**
 * Read as fast as it comes, so that nobody has to read a stream for the program to go on; what waits for a reader is
 * bounded by the output limit.
 */
function metered(source: Readable, count: (chunk: Buffer) => boolean): Readable {
  const copy = new Readable({ read() {} });
  let full = false;
  source.on("data", (chunk: Buffer) => {
    full ||= !count(chunk);
    if (!full) copy.push(chunk);
  });
  const end = () => copy.push(null);
  source.on("end", end);
  source.on("error", end);
  source.on("close", end);
  return copy;
}

/** Undefined where the jail ended before there was anything in it. */
async function takeGrip({ child, report }: Spawned, spec: JailSpec): Promise<Grip | undefined> {
  if (report === undefined) return groupGrip(child);
  const init = await firstReport(report);
  return init === undefined ? undefined : namespaceGrip(child, init, spec.fork === true);
}

/** bwrap's first JSON document, a line of its own, names process 1 of the jail. */
async function firstReport(report: Readable): Promise<number | undefined> {
  const found = Promise.withResolvers<number | undefined>();
  let text = "";
  report.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    const pid = /"child-pid": (\d+)/.exec(text)?.[1];
    if (pid !== undefined && text.includes("\n")) found.resolve(Number(pid));
  });
  report.on("close", () => found.resolve(undefined));
  report.on("end", () => found.resolve(undefined));
  return found.promise;
}

/** bwrap passes a signal on as 128 + its number. */
function readStatus(status: number | null, signal: string | null): Pick<JailExit, "status" | "signal"> {
  if (signal !== null || status === null || status <= 128) return { status, signal };
  const name = Object.entries(constants.signals).find(([, number]) => number === status - 128)?.[0];
  return name === undefined ? { status, signal } : { status: null, signal: name };
}
