import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JailSpec } from "./jail/index.ts";

interface JailedProgram {
  /** Node by its absolute path. */
  readonly node: string;
  /** The program, with the suffix of whoever asks: sources in a clone, JavaScript in the package. */
  readonly main: string;
  /** What else of Deputy's own code it imports. */
  readonly code: readonly string[];
  /** A share of the jail's memory is for JavaScript; the rest for buffers and the runtime. */
  readonly memoryBytes: number;
}

const MIB = 1024 * 1024;

/** A program of Deputy's own in a jail: it sees its code, and what the spec adds to `read` and `write`. */
export function jailedProgram({ node, main, code, memoryBytes }: JailedProgram) {
  const files = [main, ...code, packageFile(main)];
  return {
    files,
    argv: [
      node,
      "--no-experimental-ffi",
      "--no-addons",
      "--disable-sigusr1",
      "--no-warnings",
      `--max-old-space-size=${Math.floor((memoryBytes * 0.6) / MIB)}`,
      main,
    ] as const satisfies JailSpec["argv"],
    read: [node, ...files],
    env: { LANG: "C.UTF-8", TZ: "UTC" },
  };
}

/** It says that the code is made of modules: without it Node parses each file twice. */
function packageFile(path: string): string {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (existsSync(file)) return file;
  }
  throw new TypeError(`${path} is in no package`);
}
