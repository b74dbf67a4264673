/**
 * The thread the graph lives in. It answers requests as they come; long ones let the others have their turn. It ends
 * when its port is closed.
 */
import { setImmediate } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { DeputyError, type WireError } from "../kernel/index.ts";
import type { GraphRequests } from "./graph.ts";
import type { Shape } from "./shapes/shape.ts";
import { createShapeBook } from "./shapes/shape-book.ts";
import { openGraphStore } from "./store/graph-store.ts";

export interface GraphWorkerData {
  readonly path: string;
  readonly shapes: readonly Shape[];
  readonly now: number;
}

export type ToGraph =
  | { readonly id: number; readonly method: keyof GraphRequests; readonly input: never; readonly at: number }
  | { readonly id: number; readonly cancel: true }
  | { readonly close: true };

export type FromGraph =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: WireError }
  | { readonly id: number; readonly done: number }
  /** The graph cannot be used at all. */
  | { readonly broken: WireError };

if (parentPort === null) throw new TypeError("graph-worker.ts runs in a worker thread only");
const port = parentPort;
const post = (message: FromGraph) => port.postMessage(message);
const { path, shapes, now } = workerData as GraphWorkerData;
const cancelled = new Set<number>();
let closing = false;

try {
  const store = openGraphStore({ path, book: createShapeBook(shapes), now });
  port.on("message", (message: ToGraph) => {
    if ("close" in message) {
      closing = true; // for what is in the midst of something long
      store[Symbol.dispose]();
      port.close();
    } else if ("cancel" in message) cancelled.add(message.id);
    else void answer(message);
  });

  const answer = async ({ id, method, input, at }: Exclude<ToGraph, { close: true } | { cancel: true }>) => {
    const pause = async (done: number) => {
      post({ id, done });
      await setImmediate();
      if (closing) throw new DeputyError("CANCELLED", "Deputy is stopping");
      if (cancelled.has(id)) throw new DeputyError("CANCELLED", "The caller gave up");
    };
    try {
      const given = store[method](input, { at, pause });
      post({ id, result: given instanceof Promise ? await given : given });
    } catch (error) {
      post({ id, error: wireError(error) });
    } finally {
      cancelled.delete(id);
    }
  };
} catch (error) {
  post({ broken: wireError(error) });
  port.close();
}

/** A fault of ours is told by its kind and place: its message may quote what was being written. */
function wireError(error: unknown): WireError {
  if (error instanceof DeputyError) return error.toJSON();
  const place = error instanceof Error ? /at .*?([\w-]+\.[jt]s:\d+)/.exec(error.stack ?? "")?.[1] : undefined;
  const kind = error instanceof Error ? error.name : typeof error;
  return {
    code: "INTERNAL",
    message: `The graph failed: ${kind}${place === undefined ? "" : ` at ${place}`}`,
  };
}
