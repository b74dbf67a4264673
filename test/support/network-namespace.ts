/** A machine of its own as far as the network goes: a namespace tied to this one by two virtual cards. Needs root. */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { missing } from "./fault-form.ts";

export interface NetworkNamespace extends Disposable {
  /** Put in front of a command that is to run there. */
  readonly prefix: readonly string[];
  /** This side's address, as the namespace reaches it. */
  readonly here: string;
}

function ip(...args: string[]): void {
  const { status, stderr } = spawnSync("ip", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${args.join(" ")}: ${stderr.trim()}`);
}

/** The namespace, or why there can be none here. */
export function openNetworkNamespace(): NetworkNamespace | string {
  const absent = missing("ip");
  if (absent !== false) return absent;
  const id = randomInt(2 ** 24);
  const name = `deputy-${id}`;
  const [outer, inner] = [`dpo${id}`, `dpi${id}`];
  const net = `10.${200 + (id % 50)}.${(id >> 8) % 250}`;
  const remove = () => void spawnSync("ip", ["netns", "del", name]); // its card goes with it, and so does the other
  try {
    ip("netns", "add", name);
    ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name);
    ip("addr", "add", `${net}.1/30`, "dev", outer);
    ip("link", "set", outer, "up");
    for (const args of [
      ["addr", "add", `${net}.2/30`, "dev", inner],
      ["link", "set", inner, "up"],
      ["link", "set", "lo", "up"],
    ])
      ip("-n", name, ...args);
  } catch (error) {
    remove();
    return `no network namespace can be made here (${error instanceof Error ? error.message : ""})`;
  }
  return { prefix: ["ip", "netns", "exec", name], here: `${net}.1`, [Symbol.dispose]: remove };
}
