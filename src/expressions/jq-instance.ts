import { type JqResult, loadJq } from "jq-wasm";
import { readFile } from "node:fs/promises";

/** The part of the WebAssembly API used here; Node has it, TypeScript declares it for browsers only. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
interface Wasm {
  readonly Memory: { readonly prototype: WasmMemory; new (): WasmMemory };
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: object): Promise<{ readonly exports: Record<string, unknown> }>;
}
const { WebAssembly } = globalThis as unknown as { WebAssembly: Wasm };

const PAGE = 65536;

/** jq, with a bound on its memory and nothing left in it from one evaluation to the next. */
export interface JqInstance {
  /** Throws when jq runs out of memory or stack: the instance is not to be used again. */
  raw(input: string, program: string): JqResult;
  /** Puts the memory back to what it was before the first evaluation. */
  wipe(): void;
  /** Bytes jq holds, whether it uses them or not. */
  readonly heap: number;
}

export async function createJqInstance({ memoryBytes }: { memoryBytes: number }): Promise<JqInstance> {
  boundMemory(memoryBytes);
  const module = await WebAssembly.compile(await readFile(new URL(import.meta.resolve("jq-wasm/jq.wasm"))));
  const memory = Promise.withResolvers<WasmMemory>();
  const instantiate = async (
    imports: object,
    onSuccess: (instance: object, module: object) => void,
  ): Promise<void> => {
    const instance = await WebAssembly.instantiate(module, imports);
    const exported = Object.values(instance.exports).find((item) => item instanceof WebAssembly.Memory);
    if (exported === undefined) throw new TypeError("jq.wasm exports no memory");
    onSuccess(instance, module);
    memory.resolve(exported);
  };
  const [jq, used] = await Promise.all([
    loadJq({
      instantiateWasm: (imports, onSuccess) => void instantiate(imports, onSuccess).catch(memory.reject),
    }),
    memory.promise,
  ]);
  const raw = (input: string, program: string): JqResult => jq.raw(input, program, ["-r"]);
  // The first evaluation compiles most of the WebAssembly: no job should pay for that out of its own time.
  raw("[1]", "{a: .} | tojson");

  // jq's stack lies above its static data and has no guard: a value nested deep enough writes over that data unnoticed.
  // And what one skill's evaluation leaves in memory is another's business only if it is still there.
  const image = usedPart(new Uint8Array(used.buffer)).slice();
  return {
    raw,
    wipe: () => {
      const bytes = new Uint8Array(used.buffer);
      bytes.set(image);
      bytes.fill(0, image.length);
    },
    get heap() {
      return used.buffer.byteLength;
    },
  };
}

/**
 * jq.wasm declares a maximum of 2 GB for its memory. Emscripten grows it through this method, and takes a throw for
 * a failed allocation.
 */
function boundMemory(memoryBytes: number): void {
  // oxlint-disable-next-line typescript/unbound-method -- called with the memory it belongs to
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function growBounded(this: WasmMemory, pages: number): number {
    if (this.buffer.byteLength + pages * PAGE > memoryBytes) throw new RangeError("over the memory limit");
    return grow.call(this, pages);
  };
}

/** Up to the last word that is not zero; memory comes in whole pages. */
function usedPart(bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  const words = new BigUint64Array(bytes.buffer);
  return bytes.subarray(0, (words.findLastIndex((word) => word !== 0n) + 1) * words.BYTES_PER_ELEMENT);
}
