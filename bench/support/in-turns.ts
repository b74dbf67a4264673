import { setImmediate } from "node:timers/promises";

/** What is measured, and what has to be done before without being measured. */
export interface Way {
  readonly before?: () => unknown;
  /** One that answers with a number has measured itself. */
  readonly run: () => unknown;
}

export interface Turns {
  readonly rounds: number;
  readonly warmUp?: number;
  /** No round begins after so long, so that a busy machine costs samples and not minutes. */
  readonly seconds?: number;
}

const FEWEST = 5;

/** Ended by a signal, a benchmark throws where it next measures, and so gives back all it has. */
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    interrupted.abort();
    process.once("uncaughtException", () => process.exit(130));
  });
}

/** The milliseconds that some work takes. */
export async function timed(work: () => unknown): Promise<number> {
  interrupted.signal.throwIfAborted();
  const begun = performance.now();
  const measured = await work();
  return typeof measured === "number" ? measured : performance.now() - begun;
}

/** Measures each way once a round, in milliseconds: all of them meet the same machine. */
export async function inTurns<Name extends string>(
  ways: Readonly<Record<Name, Way | Way["run"]>>,
  { rounds, warmUp = 0, seconds = 10 }: Turns,
): Promise<Record<Name, number[]>> {
  const all = Object.entries<Way | Way["run"]>(ways).map(([name, way]) => ({
    name: name as Name,
    times: [] as number[],
    ...(typeof way === "function" ? { run: way } : way),
  }));
  const until = performance.now() + seconds * 1000;
  for (let round = -warmUp; round < rounds; round++) {
    if (round >= FEWEST && performance.now() > until) break;
    await setImmediate(); // or no signal is heard where nothing waits
    for (const { before, run, times } of all) {
      await before?.();
      const took = await timed(run);
      if (round >= 0) times.push(took);
    }
  }
  return Object.fromEntries(all.map(({ name, times }) => [name, times])) as Record<Name, number[]>;
}
