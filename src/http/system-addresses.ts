import { lookup } from "node:dns/promises";
import { DeputyError } from "../kernel/index.ts";

/** The addresses this machine knows a host by, /etc/hosts included. */
export async function systemAddresses(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "failed";
    throw new DeputyError("NETWORK_FAILED", `Cannot find ${host}: ${code}`);
  }
}
