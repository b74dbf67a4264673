/**
 * The thread jq runs in. It answers one job after another and keeps nothing between them; the thread that started it
 * ends it when a job takes too long or jq breaks.
 */
import { loadJq } from "jq-wasm";
import { parentPort, workerData } from "node:worker_threads";

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
  /** jq ran out of memory or stack. The instance is not to be used again. */
  | { readonly kind: "broken" };

if (parentPort === null) throw new TypeError("jq-worker.ts runs in a worker thread only");
const port = parentPort;
const { memoryBytes } = workerData as { memoryBytes: number };

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
const { WebAssembly } = globalThis as unknown as { WebAssembly: { Memory: { prototype: WasmMemory } } };

// jq.wasm declares a maximum of 2 GB for its memory. Emscripten grows it through this method, and takes a throw for
// a failed allocation.
const PAGE = 65536;
// oxlint-disable-next-line typescript/unbound-method -- called with the memory below
const grow = WebAssembly.Memory.prototype.grow;
let heap = 0;
WebAssembly.Memory.prototype.grow = function growBounded(this: WasmMemory, pages: number): number {
  if (this.buffer.byteLength + pages * PAGE > memoryBytes) throw new RangeError("over the memory limit");
  const before = grow.call(this, pages);
  heap = this.buffer.byteLength;
  return before;
};

const jq = await loadJq();
// The first evaluation compiles most of the WebAssembly: no job should pay for that out of its own time.
evaluate({ program: "{a: .} | tojson", input: "[1]" });
port.on("message", (job: JqJob) => port.postMessage(evaluate(job)));
port.postMessage({ kind: "ready" } satisfies JqAnswer);

function evaluate({ program, input }: JqJob): JqAnswer {
  try {
    return { kind: "done", ...jq.raw(input, program, ["-r"]), heap };
  } catch {
    return { kind: "broken" };
  }
}
