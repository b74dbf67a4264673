/**
 * What a TypeScript host starts as: it loads what it can before it knows its skill, says so, and runs one function.
 * Nothing in here guards anything: skill code in the same process can change it all. The guard is that the process has
 * nothing, and that the engine believes none of its messages.
 */
import type { RunContext } from "../../sdk.ts";
import { type Connection, connect } from "./connection.ts";
import { describeError } from "./describe-error.ts";
import { createRun } from "./run.ts";

// Imported, each would be looked through for its exports, which loads what it has in store: a tenth of a start.
const { access, readFileSync } = process.getBuiltinModule("node:fs");
const { registerHooks, syncBuiltinESMExports } = process.getBuiltinModule("node:module");
const os = process.getBuiltinModule("node:os");
const { pathToFileURL } = process.getBuiltinModule("node:url");
const v8 = process.getBuiltinModule("node:v8");

interface Job {
  readonly folder: string;
  readonly module: string;
  readonly function: string;
  readonly context: RunContext;
}

/** The engine has taken their types out already. */
const STRIPPED = /^file:.*(?:\.m?ts|\/first-run\.mjs)$/;

registerHooks({
  resolve(specifier, context, next) {
    // Types only: `import { type Run }` leaves an empty import behind.
    if (specifier === "deputize/skill")
      return { url: "data:text/javascript,", format: "module", shortCircuit: true };
    // The module to run, which is there: looking for it would cost a fifth of loading it.
    if (STRIPPED.test(specifier)) return { url: specifier, format: "module", shortCircuit: true };
    return next(specifier, context);
  },
  load: (url, context, next) =>
    STRIPPED.test(url)
      ? { format: "module", source: readFileSync(new URL(url)), shortCircuit: true }
      : next(url, context),
});

async function run(job: Job, connection: Connection): Promise<void> {
  try {
    const module = (await import(pathToFileURL(`${job.folder}/${job.module}`).href)) as Record<
      string,
      unknown
    >;
    const called = Object.hasOwn(module, job.function) ? module[job.function] : undefined;
    if (typeof called !== "function")
      throw new TypeError(`${job.module} exports no function named ${job.function}`);
    const value: unknown = await called(createRun(connection, job.context));
    connection.finish({ result: value ?? null });
  } catch (error) {
    connection.finish({ error: describeError(error, job.folder) });
  }
}

// The permission model leaves these open. They are of use to a skill only against its surroundings, and where no
// operating-system layer stands behind the permission model, nothing else stops them.
for (const name of [
  "kill",
  "_kill",
  "abort",
  "dlopen",
  "binding",
  "_linkedBinding",
  "_debugProcess",
  "_debugEnd",
])
  Reflect.deleteProperty(process, name);
v8.setFlagsFromString = () => {};
Reflect.deleteProperty(os, "setPriority");
syncBuiltinESMExports();

// What it printed before it answers is then out before the answer, and a flood is one of output, not of memory.
for (const stream of [process.stdout, process.stderr])
  (stream as unknown as { _handle?: { setBlocking?(on: boolean): void } })._handle?.setBlocking?.(true);

// What a process does for the first time costs what it does not cost again: one run, of nothing, that nobody hears of.
const rehearsal: Job = {
  folder: import.meta.dirname,
  module: "first-run.mjs",
  function: "firstRun",
  context: { skill: "", operation: "", params: {}, args: {}, auth: {}, connection: null },
};
const nobody: Connection = {
  request: async () => ({ status: 200, url: "", headers: [], body: { text: "{}" } }),
  note: (_, params) => void JSON.stringify(params),
  finish: (answer) => void JSON.stringify(answer),
};
await run(rehearsal, nobody);
await new Promise((done) => access(import.meta.dirname, done)); // starts the threads that files are read in

const connection = connect();
let job = rehearsal;
process.on("uncaughtException", (error) => connection.finish({ error: describeError(error, job.folder) }));
connection.note("ready", {});
job = connection.takeJob() as Job;
await run(job, connection);
