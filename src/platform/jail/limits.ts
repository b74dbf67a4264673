import type { JailLimits } from "./jail.ts";

const MIB = 1024 * 1024;

const DEFAULTS: JailLimits = {
  wallMs: 60_000,
  memoryBytes: 512 * MIB,
  processes: 64,
  outputBytes: 16 * MIB,
  fileBytes: 64 * MIB,
  openFiles: 256,
};

export function jailLimits(given: Partial<JailLimits> = {}): JailLimits {
  const limits = { ...DEFAULTS, ...given };
  for (const [name, value] of Object.entries(limits)) {
    const unlimited = name === "wallMs" && value === Infinity;
    if (!unlimited && !(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`Jail limit ${name} must be a whole number above 0, not ${value}`);
  }
  return limits;
}

/**
 * What the kernel itself holds each process to, as arguments of prlimit(1).
 * - core is 1, not 0: with a pipe in core_pattern the kernel hands a dump to a program outside at any other value.
 * - data only bounds what grows between two looks at the memory in use. It counts what may be written, touched or not,
 *   of which Node has 575 MB before it does anything.
 */
export function resourceLimits(limits: JailLimits): string[] {
  const data = limits.memoryBytes * 2 + 1024 * MIB;
  const hard = { core: 1, nofile: limits.openFiles, fsize: limits.fileBytes, data };
  return Object.entries(hard).map(([name, value]) => `--${name}=${value}:${value}`);
}

/**
 * What the kernel lets a jail have: bwrap's own two, and a few more than allowed, so that a program that wants too many
 * is seen and ended rather than slowed down.
 */
export function mostTasks(limits: JailLimits): number {
  return limits.processes + 10;
}
