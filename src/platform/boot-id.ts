import { readFileSync } from "node:fs";
import { uptime } from "node:os";

const MINUTE_S = 60;

/** Another after every start of the machine. Where the system has none, about when it started. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return `about ${Math.round((Date.now() / 1000 - uptime()) / MINUTE_S)}`;
  }
}
