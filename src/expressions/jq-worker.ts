/**
 * The thread jq runs in. It answers one job after another; the thread that started it ends it when a job takes too
 * long or jq breaks.
 */
import { parentPort, workerData } from "node:worker_threads";
import { createJqInstance } from "./jq-instance.ts";

export interface JqJob {
  readonly program: string;
  /** JSON. */
  readonly input: string;
}

export type JqAnswer =
  | { readonly kind: "ready" }
  | {
      readonly kind: "done";
      readonly exitCode: number;
      readonly stdout: string;
      readonly stderr: string;
      readonly heap: number;
    }
  /** jq ran out of memory or stack. */
  | { readonly kind: "broken" };

if (parentPort === null) throw new TypeError("jq-worker.ts runs in a worker thread only");
const port = parentPort;
const jq = await createJqInstance(workerData as { memoryBytes: number });

port.on("message", ({ program, input }: JqJob) => {
  port.postMessage(evaluate(program, input));
  // After the answer has left: the caller does not wait for it.
  jq.wipe();
});
port.postMessage({ kind: "ready" } satisfies JqAnswer);

function evaluate(program: string, input: string): JqAnswer {
  try {
    return { kind: "done", ...jq.raw(input, program), heap: jq.heap };
  } catch {
    return { kind: "broken" };
  }
}
