import { type JqResult, loadJq } from "jq-wasm";
import { readFile } from "node:fs/promises";
import { JqLibrary } from "./jq-library.ts";
import { beginWithPages } from "./small-memory.ts";

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
/** jq declares 16 MB and uses 2 for most programs: what it does not have need not be put back. */
const FIRST_PAGES = 40;
/** How jq ends when a program does not compile. */
const NO_PROGRAM = 3;

/** jq, with a bound on its memory and nothing left in it from one evaluation to the next. */
interface JqInstance {
  /** Throws when jq runs out of memory or stack: the instance is not to be used again. */
  raw(input: string, program: string): JqResult;
  /** Puts the memory back to what it was before the first evaluation. */
  wipe(): void;
  /** Bytes jq holds, whether it uses them or not. */
  readonly heap: number;
}

export async function createJqInstance({ memoryBytes }: { memoryBytes: number }): Promise<JqInstance> {
  boundMemory(memoryBytes);
  const declared = await readFile(new URL(import.meta.resolve("jq-wasm/jq.wasm")));
  const module = await WebAssembly.compile(beginWithPages(new Uint8Array(declared), FIRST_PAGES));
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
  const bytes = () => new Uint8Array(used.buffer);
  const evaluate = (input: string, program: string): JqResult => jq.raw(input, program, ["-r"]);
  // The first evaluation compiles most of the WebAssembly: no job should pay for that out of its own time.
  evaluate("[1]", "{a: .} | tojson");
  const library = JqLibrary.find(bytes());

  // jq's stack lies above its static data and has no guard: a value nested deep enough writes over that data unnoticed.
  // And what one skill's evaluation leaves in memory is another's business only if it is still there.
  const image = bytes().slice(0, usedLength(bytes()));
  const wipe = (): void => restore(bytes(), image);
  return {
    raw: (input, program) => {
      library?.placeFor(program, bytes());
      const result = evaluate(input, program);
      if (library === undefined || result.exitCode !== NO_PROGRAM) return result;
      // What is wrong with it is said by the whole of jq.
      wipe();
      return evaluate(input, program);
    },
    wipe,
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
function usedLength(bytes: Uint8Array<ArrayBuffer>): number {
  const words = new BigUint64Array(bytes.buffer);
  return (words.findLastIndex((word) => word !== 0n) + 1) * words.BYTES_PER_ELEMENT;
}

/** Most pages were not touched: reading them costs a third of writing them. */
function restore(bytes: Uint8Array, image: Uint8Array): void {
  const zeros = Buffer.alloc(PAGE);
  for (let at = 0; at < bytes.length; at += PAGE) {
    const page = bytes.subarray(at, at + PAGE);
    const before = image.subarray(at, at + PAGE);
    const rest = page.subarray(before.length);
    if (Buffer.compare(before, page.subarray(0, before.length)) !== 0) page.set(before);
    if (Buffer.compare(zeros.subarray(before.length), rest) !== 0) rest.fill(0);
  }
}
