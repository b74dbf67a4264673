import { createRequire } from "node:module";
import type * as FFI from "node:ffi";

/** The few C library calls Node lacks. Where they cannot be had, callers say what they could not do. */
export function loadLibc(): Libc | undefined {
  if (process.platform !== "linux" && process.platform !== "darwin") return undefined;
  return loadFunctions({
    setrlimit: { arguments: ["int32", "buffer"], return: "int32" },
    getsockopt: { arguments: ["int32", "int32", "int32", "buffer", "buffer"], return: "int32" },
    ...(process.platform === "linux"
      ? { prctl: { arguments: ["int32", "uint64", "uint64", "uint64", "uint64"], return: "int32" } }
      : {}),
    ...(process.platform === "darwin"
      ? { getpeereid: { arguments: ["int32", "buffer", "buffer"], return: "int32" } }
      : {}),
  }) as Libc | undefined;
}

/** `node:ffi` is experimental, so it is loaded late and only here. Undefined where it, or one of the functions, is missing. */
export function loadFunctions(signatures: Parameters<typeof FFI.dlopen>[1]): unknown {
  try {
    const ffi = createRequire(import.meta.url)("node:ffi") as typeof FFI;
    // The process image itself exports libc's symbols.
    return ffi.dlopen(null, signatures).functions;
  } catch {
    return undefined;
  }
}

interface Libc {
  setrlimit(resource: number, limit: Buffer): number;
  getsockopt(fd: number, level: number, name: number, value: Buffer, length: Buffer): number;
  prctl?(option: number, a: bigint, b: bigint, c: bigint, d: bigint): number;
  getpeereid?(fd: number, uid: Buffer, gid: Buffer): number;
}
