import { readdirSync, readFileSync } from "node:fs";
import { DeputyError } from "../../kernel/index.ts";
import { loadFunctions } from "../libc.ts";

const CLOSE_RANGE_CLOEXEC = 4; // linux/close_range.h
const LAST_DESCRIPTOR = 0xffffffff;
const O_CLOEXEC = 0o2000000;

/**
 * A function that keeps this process's descriptors out of programs it starts. Node's own are closed by themselves;
 * whoever started us may have left others, and bwrap passes on everything it gets. Linux only.
 */
export function descriptorSeal(): () => void {
  // An older C library has no such call.
  const libc = loadFunctions({
    close_range: { arguments: ["uint32", "uint32", "int32"], return: "int32" },
  }) as { close_range(first: number, last: number, flags: number): number } | undefined;
  return () => {
    if (libc?.close_range(3, LAST_DESCRIPTOR, CLOSE_RANGE_CLOEXEC) === 0) return;
    const open = inheritable();
    if (open.length > 0)
      throw new DeputyError(
        "UNSUPPORTED",
        `Cannot jail a program: descriptor ${open[0]} would leak into it`,
        {
          hint: "Start Deputy without extra open files.",
        },
      );
  };
}

function inheritable(): number[] {
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((fd) => fd > 2 && !closesOnExec(fd));
}

function closesOnExec(fd: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
    return (Number.parseInt(/^flags:\s+(\d+)$/m.exec(info)?.[1] ?? "0", 8) & O_CLOEXEC) !== 0;
  } catch {
    return true; // it was the one that listed the folder
  }
}
