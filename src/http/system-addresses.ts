import { lookup } from "node:dns/promises";
import { DeputyError } from "../kernel/index.ts";

/** The addresses this machine knows a host by, /etc/hosts included. */
export async function systemAddresses(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "failed";
    const why = code === "ENOTFOUND" ? "nobody knows the name" : `the name could not be looked up (${code})`;
    throw new DeputyError("NETWORK_FAILED", `Cannot find ${host}: ${why}`, {
      hint: "Check how it is written, and whether this machine is online.",
    });
  }
}
